#!/bin/sh
# The shared library exports heft_* alone, and cannot print, exit or touch the locale: it does not
# even refer to the functions that would.
#     check_symbols.sh libheft.so
set -eu
foreign=$(nm -D --defined-only "$1" | awk '{print $3}' | sed 's/@.*//' | grep -v '^heft_' || true)
[ -z "$foreign" ] || { echo "$1 exports more than heft_*: $foreign" >&2; exit 1; }
nm -D --defined-only "$1" | grep -q ' T heft_fit$' || { echo "$1 does not export heft_fit" >&2; exit 1; }
forbidden=$(nm -D --undefined-only "$1" | awk '{print $2}' | sed 's/@.*//' |
    grep -xE 'exit|_exit|abort|printf|vprintf|__v?printf_chk|puts|putchar|perror|stderr|setlocale|system|popen|exec.*|posix_spawn.*|dlopen|gets' || true)
[ -z "$forbidden" ] || { echo "$1 refers to: $forbidden" >&2; exit 1; }
