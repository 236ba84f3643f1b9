#!/usr/bin/env python3
"""What the examples print is what their READMEs say.

    examples.py HEFT [FOLDER...]            fail where a README differs from what happens
    examples.py HEFT --write [FOLDER...]    put the present output into the READMEs

Every folder of examples/ is copied with the tables beside it, and the commands of its README are run there with the
program, the library and the Python package of the build. A command whose Python program lacks a package is left out,
with a message. Every file of a folder must take part: its README, a command or another file names it.
"""
import difflib
import os
import pathlib
import re
import shutil
import sys
import tempfile

import documents

EXAMPLES = documents.ROOT / "examples"
LACKS = re.compile(r"ModuleNotFoundError: No module named '((?!heft)[\w.]+)'")


class Workplace(documents.Workplace):
    """A copy of one example beside the tables, where pkg-config finds the build and python3 has its packages."""

    def __init__(self, home, heft, example):
        super().__init__(home, heft)
        self.folder = self.folder / example
        shutil.copytree(EXAMPLES / example, self.folder)
        python = self.home / "python3"
        python.write_text(f'#!/bin/sh\nexec "{documents.PYTHON}" "$@"\n', encoding="utf-8")
        python.chmod(0o755)
        self.env["PKG_CONFIG_PATH"] = str(heft.parent.parent / "meson-uninstalled")
        self.env["LC_ALL"] = "C"


def commands(block):
    """(command, what the README shows after it)."""
    pieces = re.split(r"^\$ (.*)\n", block, flags=re.M)
    return list(zip(pieces[1::2], pieces[2::2]))


def check(place, name, text):
    """The faults of one README, its text with the present output, the packages that are missing."""
    faults, lacking = [], set()

    def run(match):
        pieces = []
        for command, shown in commands(match[2]):
            status, output = place.run("bash", "-c", command)
            lacks = LACKS.search(output)
            if lacks:
                lacking.add(lacks[1])
                output = shown
            elif status:
                faults.append(f"{name}: '{command}' has status {status}:\n{output[-800:]}")
            elif output != shown:
                faults.extend(difflib.unified_diff(shown.splitlines(), output.splitlines(), name, command, lineterm=""))
            pieces.append(f"$ {command}\n{output}")
        return f"```{match[1]}\n{''.join(pieces)}```"

    present = documents.BLOCK.sub(lambda m: run(m) if m[1] == "console" else m[0], text)
    return faults, present, lacking


def idle_files(folder):
    """The files of an example that neither its README nor another of its files names."""
    files = [f for f in sorted(folder.iterdir()) if f.is_file() and f.name != "README.md"]
    for file in files:
        others = [folder / "README.md", *(f for f in files if f != file)]
        if not any(file.name in other.read_text(encoding="utf-8") for other in others):
            yield f"examples/{folder.name}: nothing uses {file.name}"


def main():
    heft, arguments = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    write = "--write" in arguments
    wanted = [a for a in arguments if a != "--write"]
    folders = [f for f in sorted(EXAMPLES.iterdir()) if f.is_dir() and f.name != "__pycache__"]
    passed = failed = 0
    for folder in folders:
        if wanted and folder.name not in wanted:
            continue
        readme = folder / "README.md"
        text = readme.read_text(encoding="utf-8") if readme.exists() else ""
        with tempfile.TemporaryDirectory() as home:
            faults, present, lacking = check(Workplace(home, heft, folder.name), f"examples/{folder.name}", text)
        if write and not any("has status" in fault for fault in faults):
            readme.write_text(present, encoding="utf-8")
            faults = []
        faults += list(idle_files(folder))
        if not any(kind == "console" for kind, _ in documents.BLOCK.findall(text)):
            faults.append(f"examples/{folder.name}: README.md has no commands to run")
        if f"]({folder.name}/README.md)" not in (EXAMPLES / "README.md").read_text(encoding="utf-8"):
            faults.append(f"examples/README.md does not name {folder.name}")
        if lacking:
            print(f"skipped a part of examples/{folder.name}: Python lacks {', '.join(sorted(lacking))}")
        print("".join(f"{fault}\n" for fault in faults), end="")
        passed, failed = passed + (not faults), failed + bool(faults)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as compiled:
        os.environ.setdefault("PYTHONPYCACHEPREFIX", compiled)  # all examples import the same modules
        sys.exit(main())
