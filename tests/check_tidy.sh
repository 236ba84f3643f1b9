#!/bin/bash
# check_tidy.sh - clang-tidy over the library and the program, as .clang-tidy says: no warning.
#
#   tests/check_tidy.sh [--deep] [FILE...]
#
# The analyzer follows 30,000 states per function, which takes a fifth of the time of its own limit
# of 225,000 (--deep). A file that was found clean is looked at again when it, a header that it includes or
# the checks change: build-test/tidy keeps the sums. HEFT_BUILD names a build with compile_commands.json.
set -euo pipefail
cd "$(dirname "$0")/.."
states=30000
if [ "${1:-}" = --deep ]; then states=225000; shift; fi
[ $# -gt 0 ] || mapfile -t files < <(find lib cli -name '*.c' | sort)
[ $# -eq 0 ] || files=("$@")

build=${HEFT_BUILD:-build}
[ -e "$build/compile_commands.json" ] || meson setup "$build" -Dtests=enabled >/dev/null
kept="build-test/tidy"
mkdir -p "$kept"
common=$({ clang-tidy --version; echo "$states"; cat .clang-tidy; } | sha256sum)

# tidy FILE: its warnings on standard output; fails when there is one, or when clang-tidy fails.
tidy() {
    local sum said read
    read=$("${CC:-cc}" -MM -Iinclude -Ilib -I"$build/include" -I"$build/lib" "$1") || { echo "$1: its headers are missing"; return 1; }
    # shellcheck disable=SC2086
    sum=$({ echo "$common $1"; cat $(tr -d '\\' <<<"${read#*:}"); } | sha256sum | cut -c 1-40)
    [ ! -e "$kept/$sum" ] || return 0
    said=$(clang-tidy -p "$build" --quiet --extra-arg=-Wno-unknown-warning-option \
        --extra-arg={-Xclang,-analyzer-config,-Xclang,max-nodes="$states"} "$1" 2>"$kept/$sum.log") ||
        { cat "$kept/$sum.log"; printf '%s\n' "$said"; rm -f "$kept/$sum.log"; return 1; }
    rm -f "$kept/$sum.log"
    if printf '%s\n' "$said" | grep -E '(warning|error):'; then return 1; fi
    : >"$kept/$sum"
}
export -f tidy
export common build kept states
find "$kept" -type f -mtime +30 -delete
# shellcheck disable=SC2016
printf '%s\0' "${files[@]}" |
    xargs -0 -P "${HEFT_JOBS:-$(nproc)}" -I '{}' bash -c 'tidy "$1"' tidy '{}' | sort -u |
    if grep .; then exit 1; fi
