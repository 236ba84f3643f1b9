#!/usr/bin/env python3
"""Count the single tests in meson's logs: count_results.py testlog.json... prints PASSED FAILED SKIPPED.

A test program that lists its own cases (cmocka's summary, or a last line "N passed, M failed")
counts as that many; any other as one. A program that failed without naming a failed case counts as
one failure more.
"""
import json
import re
import sys


def cases(entry):
    text = (entry.get("stdout") or "") + (entry.get("stderr") or "")
    passed = sum(map(int, re.findall(r"\[  PASSED  \] (\d+) test", text)))
    failed = sum(map(int, re.findall(r"\[  FAILED  \] (\d+) test", text)))
    skipped = sum(map(int, re.findall(r"\[  SKIPPED \] (\d+) test", text)))
    own = re.findall(r"^(\d+) passed, (\d+) failed$", text, re.M)
    if own:
        passed, failed = passed + int(own[-1][0]), failed + int(own[-1][1])
    if entry["result"] == "SKIP":
        return 0, 0, max(skipped, 1)
    if entry["result"] not in ("OK", "EXPECTEDFAIL"):
        return passed, max(failed, 1), skipped
    return max(passed, 0 if skipped else 1), failed, skipped


def main():
    total = [0, 0, 0]
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            for line in file:
                total = [a + b for a, b in zip(total, cases(json.loads(line)))]
    print(*total)


if __name__ == "__main__":
    main()
