"""Messages of the library in the words of this package.

The library names its settings as the command line does: ``--discretize width:10``, ``-p tol=1e-7``,
``heft methods``. Here they become what a Python user can write. The tables go by option, not by
sentence, so that messages can be reworded.
"""

from __future__ import annotations

import keyword
import re

#: Options that are arguments here: of the estimators, heft.evaluate and fit.
ARGUMENTS = {
    "table": "table", "id": "id", "with-header": "with_header", "float": "single", "evidence": "evidence",
    "discretize": "discretize", "impute": "impute", "scale": "scale", "smoothing": "smoothing",
    "prior": "prior", "select": "select", "unseen": "unseen", "calibrate": "calibrate", "cv": "cv",
    "repeat": "repeats", "holdout": "holdout", "split": "split", "protocol": "protocol", "seed": "random_state",
    "threads": "n_jobs", "weight": "sample_weight", "time-limit": "time_limit",
    "class-weight": "class_weight", "cost": "cost", "threshold": "threshold", "tune": "tune",
}
#: What to do instead of using an option that is no argument here. Advice that names another option
#: is left out.
ADVICE = {
    "drop": "leave the column out of X",
    "numeric": "give the column one kind in X",
    "nominal": "name the column in categorical_features",
    "missing": "make such cells NaN",
    "like": "use partial_fit",
    "part": "use partial_fit from the first batch on",
    "scratch": "set the environment variable TMPDIR",
}
#: The commands of the program.
COMMANDS = {
    "methods": "heft.methods", "train": "fit and save", "merge": "heft.merge",
    "evaluate": "heft.evaluate", "inspect": "inspect", "predict": "predict",
}

#: Wording around options that are no argument here, outside of advice in parentheses or across it.
PHRASES = [(re.compile(pattern), words) for pattern, words in (
    (r"\b(?:train|make) one with: heft train[^();]*", "heft.load reads files that save() wrote"),
    (r"\bdoes not use (--[a-z]+) \(leave it out, set it to ", r"does not use \1 (leave it out, set \1 "),
    (r"\buse --select for one part, and [^()]*--like[^()]*",
     "choose the columns of X beforehand, without --select"),
    (r"\bthe --like model\b", "the batches before"),
    (r"\bname the format with --to\b", "set format"),
    (r"--like, which takes its preparation from a model",
     "partial_fit, which keeps the preparation of the first batch"),
    (r"(?:\btrain (?:all|the) parts )?\bwith --like\b(?: one model)?", "use partial_fit"),
    (r",? or choose another class column with --target(?![^()]*\))", ""),
    (r"\bLeave out ([^()]*?) with --drop\b", r"Leave \1 out of X"),
    (r"^(?:.*: )?column \0[0-9]+\0 has only one class\b", "y has only one class"),
)]

_VALUE = ("[a-z-]+:[0-9.]+|none|mean|mdl|presence|minmax|unit|laplace|paper|smoothed|frequency|uniform|cfs|"
          "missing|zero|temperature|vector|balanced-accuracy|balanced|f1|mcc|cost|honest|whole|heft|weka|[0-9]+")
_OPTION = re.compile(rf"(?<!\w)--([a-z][a-z-]*)(?:[ =]({_VALUE})(?![\w-]))?")
_PARAMETER = re.compile(r"(?<![\w-])-p ([a-z][a-z0-9-]*)=([\w.,-]*\w)?")
_NAMED = re.compile(r"\bmethod ([a-z][a-z0-9]*), parameter ([a-z][a-z0-9-]*)(?=: )")
_NEEDS = re.compile(r"\bmethod ([a-z][a-z0-9]*): parameter '([a-z][a-z0-9-]*)' "
                    r"needs ([a-z][a-z0-9-]*)=([\w.-]*\w)")
_TAKES = re.compile(r"\(it takes ([^()]*)\)")
_PREPARED = re.compile(r"'(--impute [^']*)'")
_METHOD = re.compile(r"(?<![\w-])-m ([a-z][a-z0-9]*)")
_COMMAND = re.compile(rf"\bheft ({'|'.join(COMMANDS)})\b(?:(?<=train)[^();]*|(?: (?:-[^\s();]+|[A-Z]+\b))*)")
_QUOTED = re.compile(r"(?<!\w)'[^']*'(?!\w)")  # what the user gave stays as it is
_ASIDE = re.compile(r" ?\(([^()]+)\)")
_BETWEEN = re.compile(r"(,? or |; |, )")


def _literal(value: str | None) -> str:
    return value or "" if not value or re.fullmatch(r"[0-9.]+(e-?[0-9]+)?", value) else repr(value)


def _option(match: re.Match[str]) -> str:
    name = ARGUMENTS.get(match[1], match[1])
    return f"{name}={_literal(match[2])}" if match[2] else name


def _argument(option: str, method: str = "") -> str:
    """The argument for an option of a method."""
    from .estimators import BY_METHOD

    for name, known in BY_METHOD[method]._options.items() if method in BY_METHOD else ():
        if known == option:
            return name
    name = option.replace("-", "_")
    return name + "_" * keyword.iskeyword(name)


def _parameter(match: re.Match[str]) -> str:
    return f"{_argument(match[1])}={_literal(match[2])}"


def _needs(match: re.Match[str]) -> str:
    return f"{_argument(match[2], match[1])} needs {_argument(match[3], match[1])}={_literal(match[4])}"


def _takes(match: re.Match[str]) -> str:
    """What an option takes: words in quotes, and a pair as a tuple."""
    words = match[1].split("|")
    if len(words) > 1:
        return f"(it takes {', '.join(map(repr, words[:-1]))} or {words[-1]!r})"
    text = re.sub(r", or ([a-z]+)$", r" or '\1'", match[1])
    return f"(it takes {text.replace('LOW,HIGH', '(LOW, HIGH)')})"


def _prepared(match: re.Match[str]) -> str:
    """Settings as the program would have them: '--impute none --discretize mdl'."""
    settings = re.findall(r"--([a-z]+) (\S+)", match[1])
    return ", ".join(f"{ARGUMENTS.get(name, name)}={_literal(value)}" for name, value in settings)


def _method(match: re.Match[str]) -> str:
    from .estimators import BY_METHOD

    found = BY_METHOD.get(match[1])
    return match[1] if found is None else f"heft.{found.__name__}"


def _aside(match: re.Match[str]) -> str:
    """Advice in parentheses, without the clauses that cannot be followed here."""
    pieces = ["", *_BETWEEN.split(match[1])]
    kept: list[str] = []
    for between, clause in zip(pieces[::2], pieces[1::2]):
        foreign = [name for name, _ in _OPTION.findall(clause) if name not in ARGUMENTS]
        said = ADVICE.get(foreign[0], "") if foreign else clause
        if said and said not in kept:
            kept += [between, said] if kept else [re.sub(r"^(or|and) ", "", said) if between else said]
    return match[0].replace(match[1], "".join(kept)) if kept else ""


def translated(text: str) -> str:
    """A message of the library without options and commands of the program."""
    text = _NEEDS.sub(_needs, text)
    if text.startswith("the preparations differ"):
        text = _PREPARED.sub(_prepared, text)
    given = _QUOTED.findall(text)
    places = iter(range(len(given)))
    text = _QUOTED.sub(lambda _: f"\0{next(places)}\0", text)
    text = _NAMED.sub(lambda m: _argument(m[2], m[1]), text)
    for pattern, words in PHRASES:
        text = pattern.sub(words, text)
    text = _COMMAND.sub(lambda m: COMMANDS[m[1]], text)
    text = _ASIDE.sub(_aside, text)
    text = _TAKES.sub(_takes, text)
    text = _PARAMETER.sub(_parameter, text)
    text = _METHOD.sub(_method, text)
    text = _OPTION.sub(_option, text)
    return re.sub("\0([0-9]+)\0", lambda m: given[int(m[1])], text)
