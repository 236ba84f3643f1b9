#!/usr/bin/env python3
"""Manual pages and help agree.

    manual.py HEFT              fail where a page differs from the help of its command
    manual.py HEFT --write      bring the pages up to date

From the help come: the summary and the synopsis, the tag and the first line of every option, the sentence about
options that commands share, the examples, and the list of commands in heft(1). The rest of a page is written by hand:
the description, and the lines that follow the first line of an option.
"""
import difflib
import re
import subprocess
import sys

import harness
from harness import ROOT, heft, require, same, test

SHARED = ["Data", "Preparation", "Estimation", "Decision", "General"]  # groups of options described in heft(1), in this order


def help_of(*command):
    """The parts of a help text: usage, examples, and groups of options by the first word of their title."""
    text = heft(*command, "--help").out
    groups = {}
    for title, body in re.findall(r"^([A-Z][^\n]*):\n((?:  .*\n)+)", text, re.M):
        groups[title.split()[0].rstrip(",")] = body
    examples = groups.pop("Examples")
    return {"usage": re.match(r"Usage: heft (?:[a-z]+ )?(.*)\n", text)[1], "examples": examples,
            "commands": re.findall(r"^  ([a-z]+) +(.*)$", groups.pop("Commands", ""), re.M),
            "groups": {title: options(body) for title, body in groups.items()}}


def options(body):
    """Letter, name, value and text of the options of a group."""
    found = []
    for item in re.split(r"^(?=  -|      --)", body, flags=re.M)[1:]:
        letter, name, value, text = re.match(r"  (?:-(.), |    )--([a-z-]+)(?: (\S+))?(?:  |\n)\s*(.*)", item,
                                             re.S).groups()
        found.append((letter, name, value, " ".join(text.split())))
    require(found, f"no options in {body!r}")
    return found


def roff(text):
    """Text of a page: hyphens of options and file names stay hyphens."""
    return re.sub(r"(?<![\w\\])-|(?<=-)-", r"\\-", text)


def value_words(value):
    kind = "Cm" if value[0].islower() else "Ar"
    return f"{kind} " + " | ".join(value.split("|"))


def words(text):
    """Words of a synopsis as macros."""
    found = []
    for word in text.split():
        if word.startswith("-"):
            found.append("Fl " + word[1:])
        elif word.endswith("...") and not word.endswith(",..."):
            found.append(f"Ar {word[:-3]} ...")
        else:
            found.append("Ar options" if word == "options" else value_words(word))
    return " ".join(found)


def synopsis(command, usage):
    lines = [f".Nm heft {command}"]
    for inner, dots, word in re.findall(r"\[([^\]]*)\](\.\.\.)?|(\S+)", usage):
        if dots:
            lines.append(f".Oo {words(inner)} Oc Ns ...")
        else:
            lines.append(f".Op {words(inner)}" if inner else f".{words(word)}")
    return "\n".join(lines) + "\n"


def option_list(known, details):
    """The list of options with what was written by hand."""
    lines = [".Bl -tag -width Ds"]
    for letter, name, value, text in known:
        lines.append(".It Fl " + (f"{letter} , " if letter else "") + f"-{name}"
                     + (f" {value_words(value)}" if value else ""))
        lines.append(roff(text[0].upper() + text[1:]) + ".")
        lines += details.pop(name, [])
    return "\n".join([*lines, ".El"]) + "\n"


def details_of(text):
    """By option: the lines after the first."""
    items = re.findall(r"^\.It Fl (?:\w , )?-([a-z-]+).*\n((?:(?!\.It |\.El).*\n)*)", text, re.M)
    return {name: lines.splitlines()[1:] for name, lines in items}


def shared_sentence(titles):
    names = [title.lower() for title in SHARED if title in titles]
    listed = " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
    return f"The {listed} options are described in\n.Xr heft 1 .\n"


def put_section(page, title, text):
    found = re.sub(rf"(^\.Sh {title}\n).*?(?=^\.Sh |\Z)", lambda m: m[1] + text, page, count=1, flags=re.M | re.S)
    require(f".Sh {title}\n" in page, f"no section {title}")
    return found


def section(page, title):
    return re.search(rf"^\.Sh {title}\n(.*?)(?=^\.Sh |\Z)", page, re.M | re.S)[1]


def command_page(page, name, summary):
    told = help_of(name)
    own = [group for title, group in told["groups"].items() if title not in SHARED]
    page = put_section(page, "NAME", f".Nm heft-{name}\n.Nd {summary}\n")
    page = put_section(page, "SYNOPSIS", synopsis(name, told["usage"]))
    listed = option_list(own[0], details_of(section(page, "OPTIONS"))) + ".Pp\n" if own else ""
    page = put_section(page, "OPTIONS", listed + shared_sentence(told["groups"]))
    examples = "".join(roff(line[2:]) + "\n" for line in told["examples"].splitlines())
    return put_section(page, "EXAMPLES", f".Bd -literal\n{examples}.Ed\n")


def main_page(page):
    told, train = help_of(), help_of("train")
    groups = {**train["groups"], **told["groups"]}
    commands = "".join(f".It Xr heft-{name} 1\n{summary[0].upper() + summary[1:]}.\n"
                       for name, summary in told["commands"])
    page = put_section(page, "COMMANDS", f".Bl -tag -width heft-completion(1)\n{commands}.El\n")
    for title in SHARED:
        subsection = re.compile(rf"(^\.Ss {title} options\n.*?)^\.Bl.*?^\.El\n", re.M | re.S)
        require(subsection.search(page), f"heft.1: no list of {title.lower()} options")
        page = subsection.sub(lambda m, t=title: m[1] + option_list(groups[t], details_of(m[0])), page)
    examples = "".join(roff(line[2:]) + "\n" for line in told["examples"].splitlines())
    return put_section(page, "EXAMPLES", f".Bd -literal\n{examples}.Ed\n")


def pages():
    """Path, present text and text as it should be."""
    path = ROOT / "man/heft.1"
    text = path.read_text(encoding="utf-8")
    yield path, text, main_page(text)
    for name, summary in help_of()["commands"]:
        path = ROOT / f"man/heft-{name}.1"
        text = path.read_text(encoding="utf-8")
        yield path, text, command_page(text, name, summary)


@test
def pages_agree_with_the_help():
    for path, text, wanted in pages():
        differences = "\n".join(difflib.unified_diff(text.splitlines(), wanted.splitlines(), path.name, "help",
                                                     lineterm="", n=1))
        require(not differences, f"{differences}\n(manual.py HEFT --write brings the pages up to date)")


@test
def shared_options_are_the_same_everywhere():
    """heft(1) describes them once; convert has a --select of its own, which takes a model too."""
    general = help_of()["groups"]["General"]
    train = help_of("train")["groups"]
    for name, _ in help_of()["commands"]:
        groups = help_of(name)["groups"]
        require(len([t for t in groups if t not in SHARED]) <= 1, f"{name}: one group of its own")
        same(groups["General"], general, f"{name}: general options")
        for title in set(groups) & set(SHARED) - {"General"}:
            shared = [option for option in train[title] if name != "convert" or option[1] != "select"]
            same(groups[title], shared, f"{name}: {title}")
    value = next(value for _, option, value, _ in help_of("convert")["groups"]["Conversion"] if option == "select")
    require(value.endswith("|cfs|MODEL"), value)


@test
def pages_name_only_options_that_exist():
    """An option that the text of a page mentions is one of the program."""
    known = {name for name, _ in help_of()["commands"]}
    known = {option[1] for name in known for group in help_of(name)["groups"].values() for option in group}
    for path in sorted((ROOT / "man").glob("*.1")):
        named = set(re.findall(r"\bFl -([a-z-]+)", path.read_text(encoding="utf-8")))
        same(named - known, set(), path.name)


@test
def the_page_of_export_describes_every_format():
    """Its list has the formats of lib/export/exports.def, in their order."""
    formats = re.findall(r"^HEFT_EXPORT\((\w+)\)", (ROOT / "lib/export/exports.def").read_text(encoding="utf-8"), re.M)
    page = (ROOT / "man/heft-export.1").read_text(encoding="utf-8")
    same(re.findall(r"^\.It Cm (\w+)$", section(page, "DESCRIPTION"), re.M), formats, "formats")


@test
def the_main_page_refers_to_every_command():
    page = (ROOT / "man/heft.1").read_text(encoding="utf-8")
    commands = [f"heft-{name}" for name, _ in help_of()["commands"]]
    same(re.findall(r"^\.Xr (\S+) 1", section(page, "SEE ALSO"), re.M), sorted(commands), "SEE ALSO")


@test
def pages_are_well_formed():
    """mandoc finds no fault where it is installed."""
    try:
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", *sorted((ROOT / "man").glob("*.1"))],
                              capture_output=True, text=True, check=False)
    except FileNotFoundError:
        print("        (mandoc is not installed: not checked)")
        return
    same([line for line in done.stdout.splitlines() if "referenced manual not found" not in line], [], "mandoc")


def write():
    for path, text, wanted in pages():
        if text != wanted:
            path.write_text(wanted, encoding="utf-8")
            print(f"wrote {path.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(write() if "--write" in sys.argv else harness.main())
