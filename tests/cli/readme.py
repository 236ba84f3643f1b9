#!/usr/bin/env python3
"""What README shows is what heft prints: run every "$ " line of its console blocks and compare.

    readme.py HEFT             fail where they differ (times aside)
    readme.py HEFT --write     put the present output into README.md; times stay as they are

The commands run in order, in a folder that holds the tables of examples/.
"""
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"(?<=^```console\n)(.*?)(?=^```$)", re.M | re.S)
TIME = re.compile(r"(?:less than )?\d[\d.e-]* s\b")


def run(block, env, folder):
    lines = []
    for command in re.findall(r"^\$ (.*)$", block, re.M):
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=env, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        lines += [f"$ {command}", *done.stdout.decode().rstrip("\n").splitlines()]
    return "".join(line.rstrip() + "\n" for line in lines)


def main():
    heft, write = pathlib.Path(sys.argv[1]).resolve(), "--write" in sys.argv[2:]
    readme = ROOT / "README.md"
    shown = readme.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as home:
        folder = pathlib.Path(home) / "examples"
        folder.mkdir()
        for table in (ROOT / "examples").glob("*.csv"):
            shutil.copy(table, folder)
        os.symlink(heft, pathlib.Path(home) / "heft")
        env = {**os.environ, "PATH": f"{home}:{os.environ['PATH']}"}
        printed = BLOCK.sub(lambda m: run(m.group(1), env, folder), shown)
    if write:
        known = {TIME.sub("TIME s", line): line for line in shown.splitlines()}
        lines = (known.get(TIME.sub("TIME s", line), line) for line in printed.splitlines())
        readme.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return 0
    blocks = len(BLOCK.findall(shown))
    before, after = (TIME.sub("TIME s", text).splitlines() for text in (shown, printed))
    difference = list(difflib.unified_diff(before, after, "README.md", "heft", lineterm=""))
    print("\n".join(difference))
    return 1 if difference or blocks == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
