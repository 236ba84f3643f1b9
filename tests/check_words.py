#!/usr/bin/env python3
"""What users read is plain English.

    check_words.py [ROOT]      fail where a phrase below, or a count that does not agree with its noun, is found

Two lists. PHRASES are looked for in the program, the library, the manual, the documents and the Python package; each
has its reason and an example that it must find. In string literals of cli/ and lib/ a number is not followed by a
plural noun, because it may be 1: use heft_count_of (base/text.h) or say it in another way. Literals of NEVER_ONE are
printed only when the number cannot be 1.

A comment is a sentence that can be read alone: in the folders of lib that WHOLE_COMMENTS names, none begins with "of".

Literals of lib/ name settings by marks (lib/base/marks.h), which name something that settings.def or phrases.def has, and
never by options or commands of the program; phrases.def alone has words for each front end.
"""
import pathlib
import re
import sys

FOLDERS = ("cli", "lib", "man", "docs", "python", "README.md")
ENDINGS = {".c", ".h", ".def", ".in", ".txt", ".1", ".md", ".py", ".css"}

# pattern, what to say instead, a text that the pattern finds
PHRASES = [
    (r"\bapart on\b", "at least this far apart", "Mean ranks differ from 2.345 apart on"),
    (r"cells a say\b", "counts missing values", "its table gives missing cells a say"),
    (r"to take apart", "cannot be explained", "nothing to take apart"),
    (r"let in \(across\)", "false positive rate", "Share of the others let in (across) against share found (up)"),
    (r"how they are confused", "confusion matrix", "26 classes: too many to show how they are confused"),
    (r"no wish in particular", "by default", "no wish in particular"),
    (r"(?<![-+<=\d.] )\b1 (?:more )?(?:classes|rows|attributes|columns|cells|values|methods|folds|iterations|lines)\b",
     "the singular", "1 classes"),
    (r"\bare no number\b", "are not numeric", "2 of its cells are no number"),
    (r"\bis no (?:sum|weight|number of)\b", "is not a ...", "the score is no sum over attributes"),
    (r"taken for %", "actual ..., predicted ...", "%60q taken for %60q"),
    (r"with either attribute", "each attribute has half", "half of each pair's with either attribute"),
    (r"[Mm]ost confidently wrong", "most confident errors", "<h2>Most confidently wrong</h2>"),
    (r"there is nothing to compare", "no row has a class", "there is nothing to compare with"),
    (r"smooths in its own way", "has its own smoothing", "method auto smooths in its own way"),
    (r"can say no other", "always predicts it", "and the model can say no other"),
    (r"none is outside", "no method is outside", "; none is outside"),
    (r"the ending tells no format", "does not name a format", "out.xyz: the ending tells no format"),
    (r"brought together unasked", "gathered by default", "that are brought together unasked"),
    (r"\bnothing can be fitter\b", "no fitness can be higher", "nothing can be fitter"),
    (r"\bmeets? some [\d,]+ times", "makes ... collective calls", "auto meets some 14,000 times"),
    (r"(?<!four )\bfifths of the rows\b", "number of folds, of five", "fifths of the rows that were held out"),
    (r"\bhangs? on (?:one|two|three|\d+) ", "is dominated by", "LightGBM's means hang on three tables"),
    (r"\bteach(?:es)? nothing\b", "are not used", "Rows of weight 0 teach nothing"),
    (r"\btells?(?: \w+)? of the class\b", "say about the class", "columns that tell most of the class"),
    (r"\bno rows of their own\b", "rows that were copied", "copies that are no rows of their own"),
    (r"\bwhat is not is\b", "the invalid bytes are", "not UTF-8: what is not is read as Latin-1"),
    (r"\ba word is said\b", "a message tells", "attributes for whose pairs a word is said first"),
]

NUMBER = r"%(?:\d*[zlg]|[-.\d]*(?:zu|lld|llu|ld|lu|d|u|g|f|0f))"
NOUNS = ("attributes|bins|cells|classes|columns|comparisons|cuts|data sets|decimals|files|fold numbers|folds|intervals|"
         "iterations|lines|methods|models|names|pairs|passes|ranks|repeats|rows|threads|values|weights")
COUNT = re.compile(rf"(?<!more than )(?<!at most )(?<! to )(?<! of )(?<! of the )(?<! x ){NUMBER} (?:\w+ )?(?:{NOUNS})\b")
NEVER_ONE = [
    "classes, and at most %d are supported", "columns do not fit in memory", "columns in all",
    "rows cannot be divided into", "rows are more than Weka can split", "Tests over %z data sets", ", %z repeats",
    "The confusion matrix of %zu classes", "classes are too many for a confusion matrix",
    "rows were asked for, and a fold has only", "weights cannot be learned for", "values, more than the %d",
    "pairs for %zu classes", "over %z data sets: are all methods equal?", "values, more than 254",
    "relations between %zu attributes", "attributes make %.3g pairs", "values in %zu attributes and %zu classes",
    "numbers are too many for one sum over the ranks", "p adjusted for %z comparisons",
    "^%zu classes, $",  # cli/summary.c: more classes than are named
    "distinct values, and at most %zu are allowed", "attributes and %u rows, and the data have",
]

WHOLE_COMMENTS = {"base", "optim", "data", "prep", "stats", "learn",  # add a folder when it is clean
                  "model", "predict", "decide", "api", "methods", "eval", "explain", "check", "train", "boost"}

MARK = re.compile(r"(?<![a-z\]])\{(?:(param|command|advice) )?([a-z][\w-]*)([^{}]*)\}")
BRACES = {"{values}"}  # braces of a message that are no mark

# An option or a command of the program; custom properties of style sheets follow a bracket, a brace or a quotation mark.
PROGRAM = re.compile(r"(?<![\w({\";-])--(?:%s|[a-z])|(?<![\w-])-[mp] [a-z]|\bheft (?:check|convert|evaluate|explain|export|"
                     r"inspect|merge|methods|predict|report|train)\b")

TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|'(?:\\.|[^'\\])'|\"(?:\\.|[^\"\\])*\"|\w+|\s+|.", re.S)


def literals(text):
    """(line, literal) of C source; literals next to each other are one."""
    found, line, start, joined = [], 1, 0, None
    for match in TOKEN.finditer(text):
        token = match[0]
        if token.startswith('"'):
            start = line if joined is None else start
            joined = (joined or "") + token[1:-1]
        elif joined is not None and not token.isspace() and token[:2] not in ("/*", "//"):
            found.append((start, joined))
            joined = None
        line += token.count("\n")
    return found + ([(start, joined)] if joined is not None else [])


def phrases_in(text):
    """(phrase, advice); a phrase may run over the end of a line or of a string literal."""
    flat = re.sub(r'"\s*\n\s*"', "", text)
    flat = re.sub(r"\n[ \t]*(?:\*|//|#)?[ \t]*", " ", flat)
    for pattern, advice, _ in PHRASES:
        for match in re.finditer(pattern, flat):
            yield match[0], advice


def counts_in(text):
    for line, literal in literals(text):
        if COUNT.search(literal) and not any(known in f"^{literal}$" for known in NEVER_ONE):
            yield line, literal


def fragments_in(text):
    """Comments that begin with "of" and continue the name beside them."""
    line = 1
    for match in TOKEN.finditer(text):
        if re.match(r"/\*\s*of\b", match[0], re.I):
            yield line, re.sub(r"\s*\n\s*\*?\s*", " ", match[0])[:60]
        line += match[0].count("\n")


def known_marks(root):
    """The names that marks can have, by their first word."""
    base = root / "lib" / "base"
    settings = (base / "settings.def").read_text(encoding="utf-8")
    phrases = (base / "phrases.def").read_text(encoding="utf-8")
    return {"": set(re.findall(r'HEFT_SETTING\(\w+, \w+, \w+,\s+"([\w-]+)"', settings)),
            "command": set(re.findall(r"^HEFT_COMMAND\((\w+),", phrases, re.M)),
            "advice": set(re.findall(r'^HEFT_PHRASE\("([\w-]+)"', phrases, re.M))}


def unknown_marks(text, known):
    """Marks of C source that name nothing; what LaTeX has in braces follows a name, and is none."""
    for line, literal in literals(text):
        for match in MARK.finditer(literal):
            first, name = match[1] or "", match[2]
            if first != "param" and name not in known[first] and match[0] not in BRACES:
                yield line, match[0]


def program_words(text):
    """Literals of C source that speak the program's language."""
    return [(line, match[0]) for line, literal in literals(text) for match in PROGRAM.finditer(MARK.sub("", literal))]


def self_test():
    for pattern, _, example in PHRASES:
        assert re.search(pattern, example), f"{pattern} does not find its example"
    assert list(phrases_in('f("nothing to "\n  "take apart");')), "a literal over two lines"
    assert list(phrases_in("there is nothing\nto take apart here")), "a paragraph over two lines"
    assert not list(phrases_in("3 classes, 11 classes and 1 class")), "plurals that agree"
    assert list(counts_in('say("%zu classes", n);')) and list(counts_in('put("(%z more "\n"rows)", n);')), "a count"
    assert list(counts_in('put("%l iterations, ", n); /* %z rows */')) == [(1, "%l iterations, ")], "a comment"
    assert not list(counts_in('say("more than %zu columns; %zu of %zu rows", a, b, c);')), "limits and parts"
    assert not list(counts_in('say("%s, %s", HEFT_COUNT_OF(n, "class"), text);')), "the helper"
    known = {"": {"drop"}, "command": {"merge"}, "advice": {"like"}}
    marks = '"{drop} {drop=%s} {param tol=1} {command merge} {advice like}" "\\\\end{table} {values}"'
    assert not list(unknown_marks(marks, known)), "known marks"
    spoken = 'say("use --drop, --%s"); say("(-m nb)", "see heft inspect"); /* --cv */ put("a style=\\"--o:1\\" var(--c1)");'
    assert [found for _, found in program_words(spoken)] == ["--d", "--%s", "-m n", "heft inspect"], "the program's words"
    assert len(list(unknown_marks('"{dorp} {command mege} " "{advice lik=%s}"', known))) == 3, "unknown marks"

    assert list(fragments_in("int n; /* of rows */\n")) == [(1, "/* of rows */")], "a fragment"
    assert list(fragments_in("\n/* Of two\n * rows */")) == [(2, "/* Of two rows */")], "a fragment over two lines"
    assert not list(fragments_in('f("/* of rows */"); /* Offsets of rows. */')), "a literal, another word"


def main():
    self_test()
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[1])
    faults, n_files, known = [], 0, known_marks(root)
    for folder in FOLDERS:
        for path in [root / folder] if (root / folder).is_file() else sorted((root / folder).rglob("*")):
            if path.suffix not in ENDINGS or not path.is_file():
                continue
            n_files += 1
            text, name = path.read_text(encoding="utf-8"), path.relative_to(root)
            faults += [f"{name}: '{found}' (rather: {advice})" for found, advice in phrases_in(text)]
            if folder in ("cli", "lib") and path.suffix in (".c", ".h"):
                faults += [f"{name}:{line}: a count that may be 1: \"{literal}\"" for line, literal in counts_in(text)]
            if folder == "lib" and path.suffix in (".c", ".h", ".def"):
                faults += [f"{name}:{line}: nothing is known by {mark}" for line, mark in unknown_marks(text, known)]
            if folder == "lib" and name.parts[1] in WHOLE_COMMENTS:
                faults += [f"{name}:{line}: a comment that begins with 'of': {found}"
                           for line, found in fragments_in(text)]
            if folder == "lib" and path.suffix in (".c", ".h", ".def") and path.name != "phrases.def":
                faults += [f"{name}:{line}: '{found}' of the program (use a mark)" for line, found in program_words(text)]
    print("\n".join(faults + [f"{n_files} files, {len(faults)} faults"]))
    if n_files < 100:
        print("too few files: is this the root of the source tree?")
    return bool(faults) or n_files < 100


if __name__ == "__main__":
    sys.exit(main())
