#!/bin/sh
# Every manual page renders without a complaint and says its own name.
set -eu
cd "$(dirname "$0")/.."
for page in man/*.1; do
    complaints=$(man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null)
    [ -z "$complaints" ] || { echo "$page: $complaints" >&2; exit 1; }
    MANWIDTH=90 man -E UTF-8 -l "$page" | grep -q "$(basename "$page" .1)" || exit 1
    if command -v mandoc >/dev/null; then mandoc -T lint -W warning "$page"; fi
done
