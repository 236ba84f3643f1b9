#!/bin/sh
# clang-tidy over the library and the program, as .clang-tidy says: no line of output, no warning.
# Takes minutes, so ./test leaves it out; run it before a release:  tests/check_tidy.sh [FILE...]
set -eu
cd "$(dirname "$0")/.."
[ -e build/compile_commands.json ] || meson setup build >/dev/null
[ $# -gt 0 ] || set -- $(git ls-files 'lib/*.c' 'cli/*.c')
found=$(clang-tidy -p build --quiet "$@" 2>/dev/null | grep 'warning:' | sort -u || true)
[ -z "$found" ] || { printf '%s\n' "$found"; exit 1; }
