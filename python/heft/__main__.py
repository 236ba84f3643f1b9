"""python -m heft: the command line program that is installed with this package."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys


def program() -> str | None:
    """The path of the program: that of the wheel, else one that the shell would find."""
    try:
        files = importlib.metadata.files("heft-bayes") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name in ("heft", "heft.exe") and file.parent.name in ("bin", "Scripts"):
            return str(file.locate())
    return shutil.which("heft")


def main() -> None:
    """Run it in place of this process, with the same arguments."""
    path = program()
    if path is None:
        sys.exit("python -m heft: the program heft is not installed (pip install heft-bayes brings it)")
    os.execv(path, ["heft", *sys.argv[1:]])


if __name__ == "__main__":
    main()
