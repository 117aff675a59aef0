#!/bin/sh
# Builds etcd, apiserver, kubectl and controlplane once per state of the sources
# and prints the directory they are in as the last line on standard output; all
# else goes to standard error. The first build takes some minutes, as it
# compiles kube-apiserver; later calls return at once.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cd "$here"

root=${WATCHFAN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/watchfan}/controlplane
sha256() {
	if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi
}
# The name of each file counts too, and this script, as it holds the flags; tests
# don't end up in a binary.
key=$({
	echo go.mod
	echo go.sum
	echo build.sh
	find . -name '*.go' ! -name '*_test.go' -type f | LC_ALL=C sort
} | while IFS= read -r file; do
	echo "$file"
	cat "$file"
done | sha256 | cut -d' ' -f1)

done_with() {
	echo "$root/$key/bin"
	exit 0
}
[ ! -d "$root/$key/bin" ] || done_with

mkdir -p "$root"
# One build at a time: a second one would only take its cores.
if command -v flock >/dev/null; then
	exec 9>"$root/.lock"
	flock 9
	[ ! -d "$root/$key/bin" ] || done_with
fi

new=$(mktemp -d "$root/.new-XXXXXX")
trap 'rm -rf "$new"' EXIT
trap 'exit 1' HUP INT TERM

# The Kubernetes release is written in go.mod only.
version=$(sed -n 's|^[[:space:]]*k8s.io/kubernetes \(v[0-9.]*\)$|\1|p' go.mod)
[ -n "$version" ] || { echo "build.sh: go.mod requires no k8s.io/kubernetes" >&2; exit 1; }
major=${version#v}; major=${major%%.*}
minor=${version#v*.}; minor=${minor%%.*}
ldflags='-s -w'
for package in k8s.io/client-go/pkg/version k8s.io/component-base/version; do
	ldflags="$ldflags -X $package.gitVersion=$version -X $package.gitMajor=$major -X $package.gitMinor=$minor"
	ldflags="$ldflags -X $package.gitCommit=unknown -X $package.gitTreeState=archive"
done

# auto fetches the Go that go.mod asks for when the installed one is older.
export GOTOOLCHAIN=auto GOWORK=off CGO_ENABLED=0
echo "building a control plane of Kubernetes $version" >&2
mkdir "$new/bin"
go build -mod=readonly -trimpath -buildvcs=false -ldflags "$ldflags" -o "$new/bin/" ./cmd/... >&2

if [ -d "$root/$key/bin" ]; then
	done_with # made by another build meanwhile, where there is no flock
fi
chmod 755 "$new"
mv "$new" "$root/$key"
done_with
