#!/usr/bin/env python3
"""The references of docs/references.bib in other forms.

    references.py --c BIB OUTPUT          C for the build: the table heft_references
    references.py --citation BIB CFF      the references in CITATION.cff, written anew between their marks
    references.py --markdown BIB          a list, for documents

BIB is a plain BibTeX file: one field a line, values in braces.
"""
import pathlib
import re
import sys

LETTERS = {r"{\'u}": "ú", r"{\v{s}}": "š"}


def entries(path):
    """[{type, key, field: value, ...}] in the order of the file."""
    text = pathlib.Path(path).read_text(encoding="utf-8")
    for code, letter in LETTERS.items():
        text = text.replace(code, letter)
    found = []
    for kind, key, body in re.findall(r"(?ms)^@(\w+)\{(\w+),\n(.*?)^\}", text):
        fields = dict(re.findall(r"(?m)^\s*(\w+) = \{(.*?)\},?$", body))
        found.append({"type": kind, "key": key, **fields})
        for name in ("author", "title", "year"):
            if name not in fields:
                sys.exit(f"{path}: {key} has no {name}")
    if len(found) != len(re.findall(r"(?m)^@", text)):
        sys.exit(f"{path}: an entry cannot be read")
    if len({e["key"] for e in found}) < len(found):
        sys.exit(f"{path}: a key occurs twice")
    return found


def families(entry):
    return [name.split(",")[0] for name in entry["author"].split(" and ")]


def joined(names):
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def short(entry):
    """Zaidi et al. 2013"""
    names = families(entry)
    year = f" {entry['year']}" if entry["year"].isdigit() else ""
    return (joined(names) if len(names) < 4 else names[0] + " et al.") + year


def whole(entry):
    where = entry.get("journal") or entry.get("booktitle") or entry.get("howpublished", "")
    if "volume" in entry:
        where += f" {entry['volume']}" + (f"({entry['number']})" if "number" in entry else "")
    if "pages" in entry:
        where += f", {entry['pages']}"
    doi = f", doi:{entry['doi']}" if "doi" in entry else ""
    return f"{joined(families(entry))} ({entry['year']}). {entry['title']}. {where}{doi}."


def literal(text):
    return '"' + "".join(f"\\{b:03o}" if b >= 0x7f or b in b'"\\' else chr(b) for b in text.encode()) + '"'


def as_c(found):
    lines = "".join(f"    {{{literal(e['key'])}, {literal(short(e))}, {literal(whole(e))}}},\n" for e in found)
    return f'#include "methods/references.h"\n\nconst heft_reference heft_references[] = {{\n{lines}    {{0}},\n}};\n'


def as_cff(found):
    kinds = {"article": "article", "inproceedings": "conference-paper", "misc": "generic"}
    out = ["references:"]
    for e in found:
        out += [f"  - type: {kinds[e['type']]}", f'    title: "{e["title"]}"', "    authors:"]
        for name in e["author"].split(" and "):
            family, _, given = (part.strip() for part in name.partition(","))
            out += [f'      - family-names: "{family}"', f'        given-names: "{given}"']
        if e["year"].isdigit():
            out += [f"    year: {e['year']}"]
        if "journal" in e:
            out += [f'    journal: "{e["journal"]}"']
        if "booktitle" in e:
            out += [f'    collection-title: "{e["booktitle"]}"']
        if "doi" in e:
            out += [f'    doi: "{e["doi"]}"']
    return "\n".join(out) + "\n"


def main():
    form, source, *to = sys.argv[1:]
    found = entries(source)
    if form == "--c":
        pathlib.Path(to[0]).write_text(as_c(found), encoding="utf-8")
    elif form == "--citation":
        path = pathlib.Path(to[0])
        head = path.read_text(encoding="utf-8").partition("references:\n")[0]
        path.write_text(head + as_cff(found), encoding="utf-8")
    else:
        print("\n".join(f"- {whole(e)}" for e in found))


if __name__ == "__main__":
    main()
