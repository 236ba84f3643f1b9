#!/bin/sh
# Each public header compiles by itself, as C17 and as C++17, without a warning.
#     check_headers.sh VERSION_INCLUDE      the folder of the generated heft_version.h
set -eu
include=$(cd "$(dirname "$0")/../include" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for file in "$include"/*.h; do
    echo "#include \"$(basename "$file")\"" >"$place/alone.c"
    cp "$place/alone.c" "$place/alone.cpp"
    ${CC:-cc} -std=c17 -Wall -Wextra -Wpedantic -Wstrict-prototypes -Werror -fsyntax-only \
        -I"$include" -I"$1" "$place/alone.c"
    command -v "${CXX:-c++}" >/dev/null || continue
    ${CXX:-c++} -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
        -I"$include" -I"$1" "$place/alone.cpp"
done
