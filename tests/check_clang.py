#!/usr/bin/env python3
"""clang gives no warning on any source file: check_clang.py BUILD [JOBS]

Repeats the commands of BUILD/compile_commands.json with clang, assertions included, and stops before the code is
generated: all warnings come from the part that is run.
"""
import json
import multiprocessing.pool
import pathlib
import shlex
import subprocess
import sys

CHANGED = ["-O0", "-UNDEBUG", "-U_FORTIFY_SOURCE", "-Wno-unknown-warning-option", "-Werror", "-fsyntax-only"]


def check(entry):
    """What clang says of one file, or how it ended; nothing when all is well."""
    words = shlex.split(entry["command"])
    first = next(i for i, word in enumerate(words) if word.startswith("-"))  # behind the compiler, and ccache
    done = subprocess.run(["clang", *words[first:], *CHANGED], cwd=entry["directory"], capture_output=True,
                          text=True, check=False)
    return done.stdout + done.stderr or (f"{entry['file']}: clang ended with status {done.returncode}\n"
                                         if done.returncode else "")


def main():
    entries = json.loads(pathlib.Path(sys.argv[1], "compile_commands.json").read_text(encoding="utf-8"))
    with multiprocessing.pool.ThreadPool(int(sys.argv[2]) if len(sys.argv) > 2 else None) as pool:
        said = "".join(pool.map(check, entries, chunksize=1))
    print(said, end="")
    return 1 if said or not entries else 0


if __name__ == "__main__":
    sys.exit(main())
