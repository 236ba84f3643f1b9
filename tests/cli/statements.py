#!/usr/bin/env python3
"""What the documents say of heft and a program can look up: links, paths, names, options, counts, packages."""
import os
import re
import subprocess
import shutil
import sys
import tempfile
from pathlib import Path

import harness
from harness import ROOT, Run, Wrong, heft, require, same, test

WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
         "twelve"]
ROOT_OF_ALL = ROOT
SOURCES = ("lib", "cli", "include", "python", "tests", "bench", "fuzz", "examples", "tools")


def documents():
    """Name and text of every Markdown file but the history."""
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "python").glob("*.md")]
    return {f.relative_to(ROOT).as_posix(): f.read_text(encoding="utf-8")
            for f in sorted(files) if f.name != "CHANGES.md"}


def prose(text):
    """Without blocks of code."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)


def number(text):
    return WORDS.index(text.lower()) if text.lower() in WORDS else int(text)


def sources():
    """All words of the sources."""
    words = set()
    for folder in SOURCES:
        for file in (ROOT / folder).rglob("*"):
            if file.suffix in (".c", ".h", ".def", ".py", ".sh"):
                words.update(re.findall(r"\w+", file.read_text(encoding="utf-8")))
    return words


def all_options():
    names = set()
    commands = re.findall(r"^  ([a-z]+) ", heft("--help").out.split("Commands:\n")[1].split("\n\n")[0], re.M)
    for args in ([], *([c] for c in commands)):
        names |= set(re.findall(r"--[a-z][a-z-]+", heft(*args, "--help").out))
    return names


def methods():
    text = (ROOT / "lib/methods/methods.def").read_text(encoding="utf-8")
    return re.findall(r"^HEFT_METHOD\((\w+)\)", text, re.M)


@test
def links_lead_somewhere():
    bad = []
    for name, text in documents().items():
        for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose(text)):
            if not re.match(r"[a-z]+:", link) and not (ROOT / name).parent.joinpath(link).exists():
                bad.append(f"{name}: {link}")
    same(bad, [], "links")


def anchors(text):
    """What a link can name behind '#': the headings as GitHub spells them, numbered where they repeat."""
    seen, found = {}, set()
    for heading in re.findall(r"^#+ (.*)$", prose(text), re.M):
        words = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()).replace(" ", "-")
        found.add(f"{words}-{seen[words]}" if words in seen else words)
        seen[words] = seen.get(words, 0) + 1
    return found


@test
def links_name_headings():
    bad = []
    for name, text in documents().items():
        for link, heading in re.findall(r"\]\(([^)#:\s]*)#([^)\s]+)\)", prose(text)):
            page = (ROOT / name).parent / link if link else ROOT / name
            if page.suffix == ".md" and heading not in anchors(page.read_text(encoding="utf-8")):
                bad.append(f"{name}: {link}#{heading}")
    same(bad, [], "headings")


@test
def the_index_lists_every_page():
    """docs/README.md links to each page of docs/ exactly once."""
    pages = {f.relative_to(ROOT / "docs").as_posix() for f in (ROOT / "docs").rglob("*.md")} - {"README.md"}
    listed = re.findall(r"\]\(([\w/-]+\.md)\)", (ROOT / "docs/README.md").read_text(encoding="utf-8"))
    same(sorted(listed), sorted(pages), "docs/README.md: links to pages of docs/")


@test
def paths_exist():
    """`lib/...` and the like: a file, a folder, or a pattern that something matches."""
    bad = []
    for name, text in documents().items():
        for path in re.findall(rf"`((?:{'|'.join(SOURCES)}|docs|man)/[\w./*-]+)`", text):
            path = path.rstrip("/")
            if not (list(ROOT.glob(path)) or list(ROOT.glob(path + ".*"))):
                bad.append(f"{name}: {path}")
    same(bad, [], "paths")


@test
def names_exist():
    """heft_... and HEFT_... are words of the sources; so are names that end in a star, to the star."""
    words, bad = sources(), []
    for name, text in documents().items():
        for word, star in set(re.findall(r"\b((?:heft|HEFT)_\w+)(\*?)", text)):
            if word in words or (star or word.endswith("_")) and any(w.startswith(word) for w in words):
                continue
            bad.append(f"{name}: {word}")
    same(sorted(bad), [], "names")


@test
def options_exist():
    """--... after heft on one line is an option of the program."""
    known, bad = all_options(), []
    for name, text in documents().items():
        for line in re.findall(r"(?:^|\$ |`|\| )(heft [a-z]+ [^`|\n]*)", text, re.M):
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", line.split(" #")[0]):
                if option not in known:
                    bad.append(f"{name}: {option} in {line!r}")
    same(bad, [], "options")


@test
def methods_exist():
    """What follows -m is the name or alias of a method."""
    given = {}
    for name, text in documents().items():
        for line in re.findall(r"(?:^|\$ |`|\| )(heft (?:train|evaluate) [^`|\n]*)", text, re.M):
            for names in re.findall(r" (?:-m|--methods?)[ =]([a-z0-9,]+)", line):
                given.update({m: name for m in names.split(",")})
    require(given, "README.md and docs/: no method is given anywhere (heft train -m ...)")
    for method, where in given.items():
        require(Run(["methods", method]).status == 0, f"{where}: there is no method {method}")


@test
def counts_hold():
    """Where a document counts methods or the functions of heft_comm, it counts right."""
    header = (ROOT / "include/heft_ranks.h").read_text(encoding="utf-8")
    comm = re.search(r"^struct heft_comm \{.*?^\};", header, re.M | re.S).group(0)
    functions, n = len(re.findall(r"\(\*\w+\)\(", comm)), len(methods())
    require(functions > 3, f"include/heft_ranks.h: {functions} functions in heft_comm")
    require(n > 20, f"lib/methods/methods.def: {n} methods")
    for name, text in documents().items():
        for said in re.findall(r"\b(?:all )?(\d+) methods\b", prose(text)):
            require(int(said) <= n, f"{name}: {said} methods, there are {n}")
        for line in re.findall(r"[^.]*\bheft_comm\b[^.]*", prose(text)):
            for said in re.findall(rf"\b({'|'.join(WORDS)}|\d+) functions\b", line, re.I):
                same(number(said), functions, f"{name}: functions in heft_comm")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    if "nearly\nthirty methods" in readme or "nearly thirty methods" in readme:
        require(26 <= n < 30, f"README.md: nearly thirty methods, there are {n}")


@test
def readme_has_the_figures_of_the_benchmarks():
    """CPU seconds and memory of naive Bayes from CSV, with two digits."""
    readme, page = (re.sub(r"\s+", " ", documents()[name]) for name in ("README.md", "docs/benchmarks.md"))
    rows = re.search(r"\| train `nb` from CSV, [^|]*\| heft \| ([\d.]+) \| (\d+) \|.*?"
                     r"\| pandas \+ scikit-learn \| ([\d.]+) \| (\d+) \|", page)
    said = re.search(r"takes ([\d.]+) s of CPU and (\d+) MB instead of ([\d.]+) s and ([\d.]+) GB", readme)
    require(rows, "docs/benchmarks.md: the rows 'train `nb` from CSV' and 'pandas + scikit-learn' are gone")
    require(said, "README.md: the sentence 'takes ... s of CPU and ... MB instead of ...' is gone")
    scale = (1, 1, 1, 1 / 1000)
    want = [f"{float(x) * factor:.2g}" for x, factor in zip(rows.groups(), scale)]
    same([f"{float(x):.2g}" for x in said.groups()], want, "README.md beside docs/benchmarks.md")


@test
def the_table_of_methods_is_right():
    """docs/methods.md: what can be explained, exported and merged, and which methods take sparse rows."""
    text = (ROOT / "docs/methods.md").read_text(encoding="utf-8").partition("## What each method can do")[2]
    told = {}
    for names, *cells in re.findall(r"^\| (`[^|]*) \|[^|]*\|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|", text, re.M):
        told.update({name: [bool(cell.strip()) for cell in cells] for name in re.findall(r"`(\w+)`", names)})
    same(sorted(told), sorted(methods()), "docs/methods.md: methods of the table, beside lib/methods/methods.def")
    for name, said in told.items():
        facts = dict(re.findall(r"^([A-Z][\w ]+): +(.*)$", heft("methods", name).out, re.M))
        can = [not facts[key].startswith(("not possible", "converted"))
               for key in ("Explanation", "Export", "Merging", "Sparse data")]
        same(said, can, f"docs/methods.md: {name}: explanation, export, merging, sparse data")


@test
def the_glossary_has_what_is_printed():
    """Titles of measures, and families of methods, alone or followed by "method"."""
    terms = re.findall(r"\*+([^*|]+)\*+", (ROOT / "docs/glossary.md").read_text(encoding="utf-8"))
    measures = (ROOT / "lib/eval/measures.def").read_text(encoding="utf-8")
    titles = re.findall(r'^HEFT_MEASURE\(\w+, "([^"]+)"', measures, re.M)
    head, *lines = heft("methods").out.split("\n\n")[0].splitlines()
    families = {line[head.index("family"):].split()[0] for line in lines}
    require(len(titles) > 10, f"lib/eval/measures.def: {titles}")
    require(len(families) > 4, f"lib/methods: {families}")
    same([t for t in titles if t not in terms], [], "docs/glossary.md: measures of lib/eval/measures.def that it lacks")
    same([f for f in sorted(families) if f not in terms and f"{f} method" not in terms], [], "docs/glossary.md: families of methods that it lacks")


@test
def packages_to_build_with():
    """README's line installs what tests/packages.sh looks for, and meson asks for no more."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    line = re.search(r"apt-get install ((?:[\w.+-]+[ \t]*)+)", readme)
    require(line, "README.md: a line with apt-get install")
    named = line.group(1).split()
    nothing = {**os.environ, "PATH": "/nonexistent"}
    asked = subprocess.run(["/bin/bash", "-c", ". tests/packages.sh; missing_packages build"], cwd=ROOT,
                           env=nothing, check=True, capture_output=True, text=True).stdout.split()
    same(sorted(set(named)), sorted(set(asked) - {"libc6-dev"}), "README.md (apt-get install) beside tests/packages.sh: packages (gcc brings libc6-dev)")
    libraries = {"jansson": "libjansson-dev", "zlib": "zlib1g-dev", "libzstd": "libzstd-dev",
                 "threads": "gcc", "m": "gcc"}
    meson = (ROOT / "meson.build").read_text(encoding="utf-8")
    for name, rest in re.findall(r"(?:dependency|find_library)\('(\w+)'(.*)\)", meson):
        if "required: get_option" not in rest:
            require(libraries.get(name) in named, f"README.md does not install {name}, which meson.build needs")


# What the table in SECURITY.md says, as rows, and the constants of the code: (row, file, its numbers as code writes them
# and the file where it is another one).
LIMITS = [
    ("columns of a table", "lib/data/schema.c", [("16,777,216", '"max-columns", 0, SIZE, 0, "N", NULL, "16777216"', "lib/base/settings.def"),
                                                  ("2,147,483,646", "schema->max_columns = INT32_MAX - 1")]),
    ("classes", "lib/base/dict.h", [("65,000", "HEFT_MOST_CLASSES = 65000")]),
    ("bytes unpacked from a compressed file", "lib/data/input.c", [("64 MiB", "floor = (size_t)64 << 20"),
                                                                    ("100 times", "ratio = 100;")]),
    ("bytes of the cells of a Parquet file", "lib/data/formats/parquet/meta.c",
     [("256 MiB", "floor = (size_t)256 << 20"), ("250 times", "ratio = 250;")]),
    ("one record of a text file", "lib/data/feed.c", [("1 GiB", "feed->longest = (size_t)1 << 30")]),
    ("header of a model file", "lib/model/safetensors.c",
     [("100 MB", "MAX_HEADER = 100 * 1000 * 1000"), ("three levels", "MAX_DEPTH = 3"),
      ("8,000 commas", "MAX_COMMAS = 8 * MAX_ENTRIES")]),
    ("tensors of a model file", "lib/model/safetensors.c", [("1,000,", "MAX_ENTRIES = 1000,"),
                                                            ("three dimensions", "MAX_DIMS = 3")]),
    ("file with a matrix of costs", "lib/decide/costs.c", [("64 MiB", "MOST_BYTES = 64 << 20")]),
    ("line of a file of folds", "lib/data/input.h", [("64 KiB", "HEFT_SHORT_LINES = 1 << 16")]),
    ("folds; repeats", "lib/learn/folds.c", [("65,534;", "MOST_FOLDS = HEFT_NO_FOLD - 1"), ("1,000 ", "MOST_REPEATS = 1000")]),
]


@test
def limits_are_those_of_the_code():
    """Every row of the table in SECURITY.md has its constant, and says its value."""
    table = re.search(r"## Limits\n\n.*?\n\|---.*?\n(.*?)\n\n", (ROOT / "SECURITY.md").read_text(encoding="utf-8"), re.S).group(1)
    rows = [line.split(" | ") for line in table.splitlines()]
    same(len(rows), len(LIMITS), "rows of the table of limits in SECURITY.md")
    for (what, limit, by), (begins, file, numbers) in zip(rows, LIMITS):
        require(what.startswith("| " + begins), f"{what}: {begins}")
        for said, written, *other in numbers:
            where = other[0] if other else file
            require(said in f"{limit} {by}", f"SECURITY.md, {what[2:]}: {limit} is not {said}")
            require(written in (ROOT / where).read_text(encoding="utf-8"), f"{where}: '{written}' is not there: SECURITY.md says {said}")


@test
def every_source_file_is_built():
    """meson.build lists the files of each folder; one that is not listed is never compiled."""
    for folder, pattern in (("lib", "*.c"), ("cli", "*.c"), ("tests", "*.c"), ("examples", "*.c"), ("fuzz", "*.c")):
        listed = (ROOT / folder / "meson.build").read_text(encoding="utf-8")
        for file in sorted((ROOT / folder).rglob(pattern)):
            name = file.relative_to(ROOT / folder).as_posix()
            short = name[:-len("_test.c")] if folder == "tests" and name.endswith("_test.c") else name
            require(f"'{short}'" in listed, f"{folder}/meson.build does not list {name}")


@test
def references_are_those_of_the_list():
    """Methods name papers by keys of docs/references.bib; CITATION.cff has the list and the version."""
    sys.path.insert(0, str(ROOT / "tools"))
    import references  # pylint: disable=import-outside-toplevel
    found = {e["key"]: e for e in references.entries(ROOT / "docs/references.bib")}
    for name in methods():
        text = heft("methods", name).out
        source = re.search(r"^Source: +(.*)$", text, re.M).group(1)
        require("[" not in source, f"methods {name}: '{source}' has a mark that docs/references.bib does not have")
        require(name == "auto" or re.search(r"\b(19|20)\d\d\b", source), f"methods {name}: '{source}' has no year")
    same("Zaidi et al. 2013" in heft("methods", "wanbia").out, True, "wanbia is Zaidi's")
    same("Jiang et al. 2019" in heft("methods", "cawnb").out, True, "cawnb is Jiang's")
    used = set(re.findall(r"\[([a-z]+\d{4}[a-z]?)\]", "".join(
        p.read_text(encoding="utf-8") for p in [*(ROOT / "lib").rglob("*.c"), *(ROOT / "docs").rglob("*.md")])))
    same(sorted(used - set(found)), [], "keys that docs/references.bib does not have")
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    same("references:" + citation.partition("references:")[2], references.as_cff(list(found.values())),
         "CITATION.cff (tools/references.py --citation docs/references.bib CITATION.cff writes it)")
    same(re.search(r"^version: (.*)$", citation, re.M).group(1), (ROOT / "VERSION").read_text(encoding="utf-8").strip(),
         "version in CITATION.cff")


@test
def changes_have_the_form_of_keep_a_changelog():
    """[Unreleased] is first; versions have dates, the newest first, and the present one is there; the parts have known names."""
    text = (ROOT / "CHANGES.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## (.*)$", text, re.M)
    same(heads[0], "[Unreleased]", "CHANGES.md: the first heading")
    versions = [re.fullmatch(r"\[(\d+)\.(\d+)\.(\d+)\] - \d{4}-\d\d-\d\d", head) for head in heads[1:]]
    require(all(versions), f"CHANGES.md: headings of versions are '[1.2.3] - 2026-01-31', not {heads[1:]}")
    numbers = [tuple(map(int, m.groups())) for m in versions]
    same(numbers, sorted(set(numbers), reverse=True), "CHANGES.md: order of versions")
    present = tuple(map(int, (ROOT / "VERSION").read_text(encoding="utf-8").strip().split(".")))
    require(present in numbers, "CHANGES.md does not have the version of VERSION")
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    same(sorted(set(re.findall(r"^### (.*)$", text, re.M)) - kinds), [], "CHANGES.md: unknown parts")


@test
def the_door_for_contributors_leads_somewhere():
    """Files that workflows, templates and hooks name exist."""
    named = [ROOT / ".pre-commit-config.yaml", *sorted((ROOT / ".github").rglob("*.yml")),
             *sorted((ROOT / ".github").rglob("*.md"))]
    require(len(named) >= 6, f".github has only {len(named)} files")
    for file in named:
        text = re.sub(r"(?<= )(?:actions|dist)/\S+", "", file.read_text(encoding="utf-8"))
        for path in re.findall(r"(?<![\w./$^-])((?:tests|tools|bench|python|\.)/[\w./]+)", text):
            require((ROOT / path).exists(), f"{file.relative_to(ROOT)} names {path}, which does not exist")
        for path in re.findall(r"\b[A-Z]{4,}\.md\b", text):
            require((ROOT / path).exists(), f"{file.relative_to(ROOT)} names {path}, which does not exist")


@test
def the_order_of_folders_is_told_right():
    """CONTRIBUTING.md and docs/architecture.md name the folders of lib in the order that is checked."""
    sys.path.insert(0, str(ROOT / "tests"))
    import check_includes  # pylint: disable=import-outside-toplevel
    order = [name for names in check_includes.ORDER for name in names]
    same(sorted(p.name for p in (ROOT / "lib").iterdir() if p.is_dir()), sorted(order), "tests/check_includes.py (ORDER): folders of lib")
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    told = re.search(r"^base.*(?:\n.*)*?api\b", text, re.M)
    require(told, "CONTRIBUTING.md: a line from base to api")
    same([w for w in re.findall(r"\w+", told.group(0)) if w in order], order, "CONTRIBUTING.md: the order of folders, beside tests/check_includes.py")


@test
def a_failure_names_the_file_to_edit():
    """Each document without its last third, or half: what then fails says so with the document's name."""
    checks = {"docs/glossary.md": the_glossary_has_what_is_printed, "docs/methods.md": the_table_of_methods_is_right,
              "docs/README.md": the_index_lists_every_page, "CONTRIBUTING.md": the_order_of_folders_is_told_right,
              "docs/benchmarks.md": readme_has_the_figures_of_the_benchmarks, "README.md": packages_to_build_with}
    for name, check in checks.items():
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for path in ROOT.iterdir():
                if path.name not in ("docs", Path(name).name):
                    (root / path.name).symlink_to(path)
            shutil.copytree(ROOT / "docs", root / "docs")
            text = (ROOT / name).read_text(encoding="utf-8")
            cut = re.sub(r"^base <.*|\| train `nb` from CSV.*|libjansson-dev", "", text[:len(text) * (3 if "methods" in name else 4) // 6], flags=re.M)
            (root / name).write_text(cut, encoding="utf-8")
            try:
                globals()["ROOT"] = root
                check()
                raise AssertionError(f"{name} is damaged, and {check.__name__} does not see it")
            except Wrong as wrong:
                require(name in str(wrong), f"{name} is not named: {wrong}")
            finally:
                globals()["ROOT"] = ROOT_OF_ALL


if __name__ == "__main__":
    sys.exit(harness.main())
