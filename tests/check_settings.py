#!/usr/bin/env python3
"""The list of settings, lib/base/settings.def, and what repeats it.

    check_settings.py [ROOT]            fail where a header, a document or the Python package says something else
    check_settings.py --write BUILD     after a new row: put its field into the header, rebuild, and bring the manual
                                        and the list of the binary interface up to date

For each setting:
  - its field is in the struct of a public header, and the comment of the field names every word that it accepts;
  - the table of parameters in docs/python.md, and lists such as "--select a | b" in the documents, have the same words;
  - the Python package has an argument of its Python name;
  - its help does not speak the command line.
Every phrase and command of lib/base/phrases.def occurs in a message. The program's options, their help and their completion are made from the list, and tests/cli/manual.py compares the
manual with the help.
"""
import pathlib
import re
import subprocess
import sys

LITERAL = r'"(?:\\.|[^"\\])*"'
FIELDS = ("group", "owner", "field", "name", "letter", "kind", "least", "value", "python", "fallback", "help")
PROGRAM = re.compile(r"(?<![\w-])--[a-z]|(?<![\w-])-[mp] [a-z]|\bheft (?:train|merge|predict|evaluate|inspect|methods)\b")


def settings(text):
    """The rows of the list: dicts of texts; None for NULL."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    for row in re.findall(rf"^HEFT_SETTING\(((?:{LITERAL}|[^\"()])*)\)", text, re.M | re.S):
        cells = re.findall(rf"((?:{LITERAL}\s*)+|[^,\"\s][^,\"]*)(?:,|$)\s*", row.strip())
        values = ["".join(s[1:-1] for s in re.findall(LITERAL, c)).replace('\\"', '"') if c.startswith('"')
                  else c.strip() for c in cells]
        setting = dict(zip(FIELDS, values))
        if len(values) != len(FIELDS):
            raise SystemExit(f"settings.def: a row of {len(values)} cells: {row[:60]}")
        for name in ("value", "python", "fallback"):
            if setting[name] == "NULL":
                setting[name] = None
        if setting["python"] == "SAME":
            setting["python"] = setting["name"].replace("-", "_")
        yield setting


def words(setting):
    """The words that can be written as they are, without what follows a colon."""
    return [w for w in re.split(r"[:\[|]", setting["value"] or "") if re.match(r"[a-z]", w)]


def forms(setting):
    """What documents may call a value: mdl[:SCALE] is mdl and mdl:SCALE."""
    found = set()
    for form in (setting["value"] or "").split("|"):
        plain, _, rest = form.partition("[")
        found |= {plain, plain + rest.rstrip("]")}
    return found


def structs(headers):
    return {name: body for text in headers for name, body in
            re.findall(r"struct (heft_\w+) \{(.*?)\n\}", text, re.S)}


def comment_of(body, field):
    """The comment before the declaration of a field, and the one behind it on its line; None: no such field."""
    for match in re.finditer(r"((?:\s*/\*(?:(?!\*/).)*\*/)*)\s*([^;/{}]*?);([ \t]*/\*(?:(?!\*/).)*\*/)?", body, re.S):
        if re.search(rf"\b{field}$|\b{field},", match[2]):
            return match[1] + (match[3] or "")
    return None


def header_faults(rows, headers):
    known = structs(headers)
    for s in rows:
        where = f"{s['owner']}.{s['field']}"
        said = comment_of(known[s["owner"]], s["field"]) if s["owner"] in known else None
        if said is None:
            yield (f"{where}: no public header has it. Add the field at the end of struct {s['owner']}, where it moves no "
                   "other field, or let check_settings.py --write BUILD add it")
            continue
        if s["kind"] in ("TEXT", "WORD", "YES_NO"):
            for word in words(s):
                if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", said):
                    yield f"{where}: its comment does not name '{word}'"


TYPES = {"FLAG": "bool ", "NUMBER": "int ", "SIZE": "size_t ", "SEED": "uint64_t ", "SECONDS": "double ", "YES_NO": "int ",
         "CHARACTER": "char ", "QUOTE": "char "}  # others are texts


def with_fields(rows, header):
    """The text of a header with the fields that its structs lack, each behind the last one."""
    known = structs([header])
    for s in rows:
        if s["owner"] not in known or comment_of(known[s["owner"]], s["field"]) is not None:
            continue
        listed = ": " + s["value"].replace("|", ", ") if words(s) else ""
        field = f"    {TYPES.get(s['kind'], 'const char *')}{s['field']}; /* {s['help']}{listed} */\n"
        header = header.replace(f"\n}} {s['owner']};", f"\n{field}}} {s['owner']};")
    return header


def write(root, rows, build):
    """Add what follows from a new row."""
    changed = []
    for path in sorted((root / "include").glob("*.h")):
        old = path.read_text(encoding="utf-8")
        new = with_fields(rows, old)
        if new != old:
            path.write_text(new, encoding="utf-8")
            changed.append(path)
    for command in ([["clang-format", "-i", *changed]] if changed else []) + [
            ["ninja", "-C", build], [root / "tests/cli/manual.py", build / "cli/heft", "--write"],
            [root / "tests/check_abi.py", build / "lib/libheft.so", build / "include", "--write"]]:
        if subprocess.run(command, check=False).returncode:
            return 1
    print("Read what was written: a comment of a header and a page of the manual often say more than the help.")
    return 0


def size_faults(rows, table, main):
    """Structs that the program fills and whose size it does not set: the library would not see their newer fields."""
    members = dict(re.findall(r"#define IN_(heft_\w+)\s+(\w+)", table))
    for owner in sorted({s["owner"] for s in rows}):
        member = members.get(owner)
        if member is None:
            yield f"cli/settings_table.h: IN_{owner} is not defined"
        elif member != "given" and f".{member}.size = sizeof c.{member}" not in main:
            yield f"cli/main.c: the size of c.{member} is not set, so that the library does not take newer fields of {owner}"


def list_faults(rows, name, text):
    """Lists of the words of an option: --select gain-ratio:N | cfs."""
    by_name = {s["name"]: s for s in rows}
    for option, listed in re.findall(r"--([a-z-]+) ((?:[\w:\[\]=,.-]+ ?\\?\| ?)+[\w:\[\]=,.-]+)", text):
        found = set(re.split(r" ?\\?\| ?", listed))
        if option not in by_name or len(found & forms(by_name[option])) < 2:
            continue  # a table or a pipe
        if found != set((by_name[option]["value"] or "").split("|")):
            yield f"{name}: --{option} {listed}: the list has {by_name[option]['value']}"


def table_faults(rows, text):
    """The table of parameters of docs/python.md. 'none' may be missing, because None says it there."""
    by_name = {s["python"]: s for s in rows if s["python"]}
    n = 0
    for name, values in re.findall(r"^\| `(\w+)` \|[^|]*\|([^|]*)\|$", text, re.M):
        if name not in by_name or not words(by_name[name]):
            continue
        n += 1
        found, wanted = set(re.findall(r"`'([^']+)'`", values)), forms(by_name[name])
        lower = {form for form in wanted if form[:1].islower()}
        if not found <= wanted or not lower - {"none"} <= found:
            yield f"docs/python.md: {name}: {sorted(found)}, and the list has {sorted(lower)}"
    if n < 8:
        yield f"docs/python.md: only {n} rows about settings"


def phrase_faults(phrases, texts):
    """Advice and commands that no message has."""
    every = re.sub(r'"\s*\n\s*"', "", "\n".join(texts))
    for kind, name in [("advice", n) for n in re.findall(r'^HEFT_PHRASE\("([\w-]+)"', phrases, re.M)] + \
            [("command", n) for n in re.findall(r"^HEFT_COMMAND\((\w+),", phrases, re.M)]:
        if not re.search(rf"\{{{kind} {name}[ =}}]", every):
            yield f"lib/base/phrases.def: no message has {{{kind} {name}}}"


def self_test():
    rows = list(settings('HEFT_SETTING(A, heft_a, mode, "the-mode", 0, TEXT, 0,\n "a|b:N|c[:X]|D", SAME, NULL,\n'
                         ' "x, \\"y\\" " "--z")\n'))
    assert len(rows) == 1 and rows[0]["help"] == 'x, "y" --z' and rows[0]["python"] == "the_mode", rows
    assert words(rows[0]) == ["a", "b", "c"], words(rows[0])
    header = "typedef struct heft_a {\n    int n; /* x */\n    char *mode; /* a, b:N, c */\n} heft_a;"
    assert not list(header_faults(rows, [header]))
    assert list(header_faults(rows, [header.replace("b:N", "d")])) and list(header_faults(rows, ["struct x {\n}"]))
    assert list(header_faults(rows, [header.replace("mode;", "made;")]))
    assert with_fields(rows, header) == header
    added = with_fields(rows, header.replace("mode;", "made;"))
    assert not list(header_faults(rows, [added])) and added.index("mode;") > added.index("made;"), added
    sized = "cli c = {.config.size = sizeof c.config};"
    assert not list(size_faults(rows, "#define IN_heft_a config", sized)) and list(size_faults(rows, "#define IN_heft_a run", sized))
    assert list(size_faults(rows, "", sized))
    assert len(list(phrase_faults('HEFT_PHRASE("a", 1)\nHEFT_PHRASE("b", 2)\nHEFT_COMMAND(c, 3)', ['"x {advice "\n  "a=%s} {command c D}"']))) == 1
    assert not list(list_faults(rows, "f", "--the-mode a | b:N | c[:X] | D")) and list(list_faults(rows, "f", "--the-mode a|b:N"))


def main():
    self_test()
    writes = len(sys.argv) == 3 and sys.argv[1] == "--write"
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 and not writes else pathlib.Path(__file__).resolve().parents[1])
    rows = list(settings((root / "lib/base/settings.def").read_text(encoding="utf-8")))
    if writes:
        return write(root, rows, pathlib.Path(sys.argv[2]))
    headers = [path.read_text(encoding="utf-8") for path in sorted((root / "include").glob("*.h"))]
    faults = list(header_faults(rows, headers))
    faults += size_faults(rows, *((root / "cli" / name).read_text(encoding="utf-8") for name in ("settings_table.h", "main.c")))
    for path in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        faults += list_faults(rows, path.relative_to(root), path.read_text(encoding="utf-8"))
    faults += table_faults(rows, (root / "docs/python.md").read_text(encoding="utf-8"))
    faults += phrase_faults((root / "lib/base/phrases.def").read_text(encoding="utf-8"),
                            [path.read_text(encoding="utf-8") for path in (root / "lib").rglob("*") if path.suffix in (".c", ".h", ".def")])
    python = "\n".join(path.read_text(encoding="utf-8") for path in [root / "python/generate.py", *sorted((root / "python/heft").glob("*.py"))])
    for s in rows:
        made = s["owner"] in ("heft_config", "heft_runtime")  # parameters of the estimators, which generate.py makes
        if s["python"] and not made and not re.search(rf"\b{s['python']}\b", python):
            faults.append(f"{s['name']}: the Python package has no {s['python']}")
        said = re.findall(r"\((?:default|default and maximum): ([^),; ]+|\")\)", s["help"])
        if s["fallback"] and said and said != [s["fallback"]]:
            faults.append(f"{s['name']}: the default is {s['fallback']}, and its help says {said}")
        if PROGRAM.search(s["help"]):
            faults.append(f"{s['name']}: its help speaks the command line, and C and Python show it: {s['help']}")
    print("\n".join(faults + [f"{len(rows)} settings, {len(faults)} faults"]))
    return bool(faults) or len(rows) < 50


if __name__ == "__main__":
    sys.exit(main())
