#!/usr/bin/env python3
"""Make C of a text file, for the build: the array NAME of its lines, NULL after the last.

    embed.py NAME INPUT OUTPUT

Indented lines of a style sheet continue the line before them, without the indentation: a rule can be
written over several lines and still be one short line of the page. Lines of a script lose their
indentation, and comment lines and empty lines are left out. Lines of a text file (.txt) lose their ends.
"""
import pathlib
import re
import sys


def literal(line):
    text = "".join(f"\\{byte:03o}" if byte < 0x20 or byte >= 0x7f or byte in b'"\\?' else chr(byte)
                   for byte in line.encode())
    return f'    "{text}",\n'


def main():
    name, source, output = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    text = source.read_text(encoding="utf-8")
    if source.suffix == ".css":
        text = re.sub(r"\n[ \t]+", "", text)
    if source.suffix == ".js":
        text = re.sub(r"(?m)^[ \t]+", "", text)
        text = re.sub(r"(?m)^(//.*)?\n", "", text)
    lines = "".join(literal(line) for line in text.splitlines(keepends=source.suffix != ".txt"))
    output.write_text(f"extern const char *const {name}[];\nconst char *const {name}[] = {{\n{lines}    0,\n}};\n",
                      encoding="utf-8")


if __name__ == "__main__":
    main()
