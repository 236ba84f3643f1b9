#!/bin/sh
# check_hardened.sh PROGRAM LIBRARY - built position-independent, relocations read-only and bound at
# the start, no executable stack, stacks guarded, fortified calls.
set -u
bad=0
say() { echo "$1"; bad=1; }
for file in "$@"; do
    readelf -hW "$file" | grep -q 'Type:.*DYN' || say "$file: not position-independent"
    readelf -lW "$file" | grep -q GNU_RELRO || say "$file: relocations stay writable"
    readelf -dW "$file" | grep -Eq 'BIND_NOW|FLAGS.*NOW' || say "$file: bound lazily"
    readelf -lW "$file" | grep GNU_STACK | grep -q 'RWE' && say "$file: executable stack"
    readelf -lW "$file" | grep LOAD | grep -q 'RWE' && say "$file: writable code"
    readelf -sW "$file" | grep -q __stack_chk_fail || say "$file: stacks are not guarded"
    readelf -sW "$file" | grep -Eq '__(mem|str|v?sn|v?f)[a-z]*_chk' || say "$file: no fortified call"
done
exit $bad
