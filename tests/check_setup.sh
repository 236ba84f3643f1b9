#!/bin/bash
# `meson setup` needs no more libraries than README names, and leaves out the tests; asked for the tests, it
# says what is missing.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for library in jansson zlib libzstd; do
    cp "$(pkg-config --variable=pcfiledir "$library")/$library.pc" "$place"
done
printf "[binaries]\ncmake = '/bin/false'\n" >"$place/native.ini"

# said TEXT OPTION...: meson setup says so.
said() {
    local text=$1
    shift
    rm -rf "$place/build"
    PKG_CONFIG_LIBDIR=$place meson setup "$place/build" "$root" --native-file "$place/native.ini" "$@" \
        >"$place/log" 2>&1 || true
    grep -q "$text" "$place/log" || { cat "$place/log"; exit 1; }
}

said 'tests *: left out (-Dtests=enabled builds them)'
said 'tests *: left out: they need cmocka' -Dtests=auto
said 'ERROR: Dependency "cmocka" not found' -Dtests=enabled

# With everything there a plain setup has no test programs either.
rm -rf "$place/build"
meson setup "$place/build" "$root" >/dev/null
! grep -qE '^build (tests|fuzz)/' "$place/build/build.ninja" || { echo "meson setup builds tests that nobody asked for"; exit 1; }
