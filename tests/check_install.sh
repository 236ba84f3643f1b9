#!/bin/sh
# An installed heft is complete: a program builds against heft.pc and runs, the command and its
# manual are there.
#     check_install.sh BUILD-FOLDER
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
DESTDIR=$place meson install -C "$1" --no-rebuild --quiet >/dev/null
pc=$(find "$place" -name heft.pc)
PKG_CONFIG_PATH=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$place
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
lib=$(dirname "$(find "$place" -name libheft.so)")
# shellcheck disable=SC2046
cc "$root/examples/embed/embed.c" -o "$place/embed" $(pkg-config --cflags --libs heft)
LD_LIBRARY_PATH=$lib "$place/embed" "$root/examples/iris.csv" | grep -q '150 rows, 3 classes'
"$(find "$place" -path '*/bin/heft')" --version
[ -n "$(find "$place" -name 'heft-train.1*')" ]
