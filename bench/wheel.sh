#!/bin/bash
# wheel.sh - the wheel for x86_64 as a user meets it: built by tools/wheels, accepted by auditwheel, under 3 MB, needing
# nothing but libc; installed into an empty environment and used where jansson, zlib, zstd and liblbfgsb cannot be
# opened. The program runs docs/tutorial.md. With "all", the other wheels too: those for aarch64 run under qemu-user.
#
#   bench/wheel.sh [all]
#
# Ends with status 77 where tools/wheels cannot fetch what it needs. Takes a few minutes the first time.
set -euo pipefail
cd "$(dirname "$0")/.."
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
tools=build-wheels/tools/bin
MOST=3000000

fail() {
    echo "FAILED: $*"
    exit 1
}

# Needed libraries of an ELF file that are not libc's.
strangers() {
    readelf -d "$1" | sed -nE 's/.*NEEDED.*\[(.*)\]/\1/p' |
        grep -vxE '(libc|libm|libpthread|libdl|librt)\.so\.[0-9]+|libc\.so|libc\.musl-.*|ld-linux-.*' || true
}

# auditwheel is asked where TAGS, a pattern, says what it may find. It cannot read a wheel for musl on a system with
# glibc: it takes that system's libc.so, a linker script, for the library.
inspect() { # WHEEL [TAGS]
    local size file tag
    size=$(stat -c %s "$1")
    [ "$size" -lt "$MOST" ] || fail "$1 has $size bytes"
    rm -rf "$room/unpacked"
    python3 -m zipfile -e "$1" "$room/unpacked"
    for file in "$room"/unpacked/.heft_bayes.mesonpy.libs/libheft.so.1 "$room"/unpacked/*.data/scripts/heft; do
        [ -e "$file" ] || fail "$1 lacks $(basename "$file")"
        [ -z "$(strangers "$file")" ] || fail "$(basename "$file") needs $(strangers "$file")"
    done
    if [ -z "${2:-}" ]; then
        echo "ok  $(basename "$1"): $size bytes, libc alone"
        return
    fi
    "$tools/python" -m auditwheel show "$1" >"$room/audit" 2>&1 || { cat "$room/audit"; fail "auditwheel"; }
    tag=$(tr '\n' ' ' <"$room/audit" | grep -oE "platform tag: \"$2\"") ||
        { cat "$room/audit"; fail "auditwheel does not say $2"; }
    echo "ok  $(basename "$1"): $size bytes, libc alone, auditwheel: $tag"
}

# Runs a command where the libraries that a build would link cannot be opened; plainly where there are no namespaces.
# zlib is left to Python and numpy, which need it themselves; the program runs without it.
# shellcheck disable=SC2016
without_libraries() {
    local hide='for f in $(ls /usr/lib/*/lib{jansson,zstd,lbfgsb,gfortran,blas,lapack,heft}.so* $also 2>/dev/null)
        do mount --bind /dev/null "$(realpath "$f")" 2>/dev/null; done; exec "$@"'
    if unshare -rm true 2>/dev/null; then unshare -rm bash -c "$hide" bash "$@"; else "$@"; fi
}

tools/wheels -o "$room/dist" x86_64-gnu
wheel=$(echo "$room"/dist/*manylinux_2_28_x86_64.whl)
inspect "$wheel" 'manylinux_2_2?[0-9]_x86_64'

python3 -m venv "$room/fresh"
start=$(date +%s.%N)
"$room/fresh/bin/pip" install --quiet --disable-pip-version-check "$wheel"
cp examples/iris.csv "$room"
cat >"$room/first.py" <<'PY'
import csv

import heft

rows = list(csv.reader(open("iris.csv", encoding="utf-8")))[1:]
X, y = [[float(cell) for cell in row[:-1]] for row in rows], [row[-1] for row in rows]
model = heft.Auto().fit(X, y)
assert model.score(X, y) > 0.95
print("ok  heft", heft.__version__, "predicts", model.predict([X[0]])[0], "with", heft._ffi.lib._name.split("site-packages/")[-1])
PY
(cd "$room" && without_libraries env -u HEFT_LIBRARY -u LD_LIBRARY_PATH fresh/bin/python first.py)
echo "ok  $(awk "BEGIN { printf \"%.1f\", $(date +%s.%N) - $start }") s from pip install to the first prediction, numpy included"
[ "$(without_libraries "$room/fresh/bin/python" -m heft --version)" = "$("$room/fresh/bin/heft" --version)" ] ||
    fail "python -m heft"
also=$(echo /usr/lib/*/libz.so*) without_libraries python3 tests/cli/documents.py "$room/fresh/bin/heft" docs/tutorial.md
echo "ok  the tutorial runs with $("$room/fresh/bin/heft" --version)"

[ "${1:-}" = all ] || exit 0
tools/wheels -o "$room/dist"

# qemu-aarch64 and the C libraries of that machine, from a Debian mirror, without installing them.
other_machine() {
    local apt=build-wheels/apt-arm64 options
    [ -e build-wheels/arm64/lib/ld-musl-aarch64.so.1 ] && return
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" build-wheels/arm64
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main" >"$apt/sources.list"
    apt=$PWD/$apt
    options=(-qq -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::status=/dev/null
        -o "Dir::State::Lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=
        -o APT::Architecture=amd64 -o APT::Architectures::=amd64 -o APT::Architectures::=arm64)
    (cd "$apt" && apt-get "${options[@]}" update &&
        apt-get "${options[@]}" download qemu-user-static libc6:arm64 musl:arm64) >"$apt/log" 2>&1 || return 1
    for deb in "$apt"/*.deb; do dpkg -x "$deb" build-wheels/arm64; done
}

# The program and the library of a wheel, on the processor that it is for.
run_elsewhere() { # WHEEL TRIPLE [TAGS]
    local qemu=(build-wheels/arm64/usr/bin/qemu-aarch64-static -L build-wheels/arm64)
    inspect "$1" "${3:-}"
    local lib=$room/unpacked/.heft_bayes.mesonpy.libs heft
    heft=$(echo "$room"/unpacked/*.data/scripts/heft)
    chmod +x "$heft"
    "${qemu[@]}" "$heft" train examples/iris.csv -q -o "$room/there.heft"
    "${qemu[@]}" "$heft" predict "$room/there.heft" examples/iris.csv -q -o "$room/there.csv"
    "$room/fresh/bin/heft" train examples/iris.csv -q -o "$room/here.heft"
    "$room/fresh/bin/heft" predict "$room/here.heft" examples/iris.csv -q -o "$room/here.csv"
    cmp "$room/here.csv" "$room/there.csv" || fail "other classes are predicted on aarch64"
    cp -n "$lib/libheft.so.1" "$lib/libheft.so"
    "$tools/python" -m ziglang cc -target "$2" -Iinclude -Ibuild-wheels/aarch64-gnu/build/include \
        examples/embed.c -o "$room/embed" "$lib/libheft.so"
    "${qemu[@]}" -E "LD_LIBRARY_PATH=$lib" "$room/embed" examples/iris.csv >/dev/null || fail "embed.c on aarch64"
    echo "ok  the program and the library run under qemu"
}

inspect "$(echo "$room"/dist/*musllinux_1_2_x86_64.whl)"
other_machine || { echo "no Debian mirror: the wheels for aarch64 are not run" && exit 77; }
run_elsewhere "$(echo "$room"/dist/*manylinux_2_28_aarch64.whl)" aarch64-linux-gnu.2.28 'manylinux_2_2?[0-9]_aarch64'
run_elsewhere "$(echo "$room"/dist/*musllinux_1_2_aarch64.whl)" aarch64-linux-musl
