// The official JavaScript client under test; see ../README.md.
import readline from 'node:readline';

const [server, namespace, library] = process.argv.slice(2);
if (!['client-node-1', 'client-node-2'].includes(library)) {
  console.error('usage: main.js SERVER NAMESPACE client-node-1|client-node-2');
  process.exit(2);
}
const { CoreV1Api, KubeConfig, makeInformer } = await import(library);

// What the library's documentation of informers asks for: it is started again after an error, a while later.
const PAUSE_MILLIS = 500;

const config = new KubeConfig();
// It refuses servers without TLS unless told not to verify theirs.
config.loadFromClusterAndUser({ name: 'proxy', server, skipTLSVerify: true }, { name: 'nobody' });
const api = config.makeApiClient(CoreV1Api);
const informer = makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
  api.listNamespacedConfigMap({ namespace }),
);

const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const teller = (event) => (object) =>
  tell({
    event,
    name: object.metadata.name,
    version: object.metadata.resourceVersion,
    value: object.data?.k,
  });
informer.on('add', teller('ADDED'));
informer.on('update', teller('MODIFIED'));
informer.on('delete', teller('DELETED'));
informer.on('error', (error) => {
  console.error(error);
  setTimeout(start, PAUSE_MILLIS);
});

let synced = false;
async function start() {
  await informer.start();
  if (!synced && informer.latestResourceVersion() !== '') {
    synced = true;
    tell({ synced });
  }
}
await start();

for await (const command of readline.createInterface({ input: process.stdin })) {
  if (command !== 'state') {
    throw new Error(`no such command: ${command}`);
  }
  const state = {};
  for (const object of informer.list(namespace)) {
    state[object.metadata.name] = [object.metadata.resourceVersion, object.data?.k];
  }
  tell({ state });
}
process.exit(0);
