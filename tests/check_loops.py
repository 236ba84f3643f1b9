"""Loops with a condition that does not change in the loop, such as `for (j = 0; shrunk && j < n; j++)`: it is an `if`
around the loop. Looked for are operands of && that are a name, a member of a struct, or a comparison of one with a
name or a constant. A name changes where it is assigned or its address is taken; a member also where its struct is
given to a function.
"""
import re

NOT_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
LOOP = re.compile(r"\b(for|while)\s*\(")
NESTED = re.compile(r"(for|if|while|HEFT_ROWS)\s*\(")
OPERAND = re.compile(r"!?([a-z_]\w*)((?:(?:->|\.)\w+|\[\w+\])*)(?:\s*(?:[<>]=?|[!=]=)\s*\w+)?$")


def closing(code, at):
    """The place of the bracket that closes the one at `at`."""
    depth = 0
    for k in range(at, len(code)):
        depth += (code[k] in "([{") - (code[k] in ")]}")
        if depth == 0:
            return k
    return len(code)


def statement_end(code, at):
    while at < len(code) and code[at].isspace():
        at += 1
    if code[at:at + 1] == "{":
        return closing(code, at) + 1
    nested = NESTED.match(code, at)
    if nested:
        end = statement_end(code, closing(code, nested.end() - 1) + 1)
        other = re.compile(r"\s*else\b").match(code, end)
        return statement_end(code, other.end()) if other and nested[1] == "if" else end
    while at < len(code) and code[at] != ";":
        at = closing(code, at) + 1 if code[at] in "([{" else at + 1
    return at + 1


def split(text, mark):
    """The parts of the text between marks that are not in brackets."""
    parts, depth, start = [], 0, 0
    for k, c in enumerate(text):
        depth += (c in "([{") - (c in ")]}")
        if depth == 0 and text.startswith(mark, k) and k >= start:
            parts.append(text[start:k])
            start = k + len(mark)
    return parts + [text[start:]]


def changes(name, member, code):
    if re.search(rf"(?:\+\+|--|(?<!&)&)\s*{name}\b(?!\s*[&\[])|(?<![\w.>]){name}\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))", code):
        return True
    if not member:
        return False
    whole = re.escape(name + member)
    return bool(re.search(rf"{whole}\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))", code) or
                re.search(rf"\w\((?:[^()]|\([^()]*\))*(?<![\w.>]){name}\b(?!\s*(?:->|\.))", code))


def faults(text):
    """(line, operand) of conditions that do not change."""
    code = NOT_CODE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)
    for loop in LOOP.finditer(code):
        end = closing(code, loop.end() - 1)
        parts = split(code[loop.end():end], ";")
        if loop[1] == "while" and code[end + 1:].lstrip().startswith(";"):  # do ... while
            continue
        condition, step = (parts[1], parts[2]) if len(parts) == 3 else (parts[0], "")
        repeated = " ".join((condition, step, code[end + 1:statement_end(code, end + 1)]))
        operands = [operand.strip() for operand in split(condition, "&&")]
        for operand in operands if len(operands) > 1 else []:
            found = OPERAND.match(operand)
            names = re.findall(r"(?<![\w.>])[a-z_]\w*", re.sub(r"->\w+|\.\w+", "", operand))
            if found and "errno" not in names and not changes(found[1], found[2], repeated) and \
                    not any(changes(name, "", repeated) for name in names):
                yield code.count("\n", 0, loop.start()) + 1, operand


def self_test():
    def found(text):
        return [operand for _, operand in faults(text)]

    assert found("for (j = 0; shrunk && j < n; j++) f(j);") == ["shrunk"]
    assert found("for (j = 0; j < n && !a->b; j++) {\n x[j] = a->c; }") == ["!a->b"]
    assert found("while (p && p[n]) n++;") == ["p"] and found("for (; k > 1 && i < k; i++) k2 = k;") == ["k > 1"]
    assert not found("for (j = 0; more && j < n; j++) more = f(j);")
    assert not found("for (j = 0; more && j < n; j++) f(&more);")
    assert not found("for (j = 0; !t->bad && j < n; j++) f(t, j);")
    assert not found("for (j = 0; u->z.left > 0 && code; j++) code = f(&u->z);")
    assert not found("do f(); while (more && until > 0);") and not found("for (j = 0; j < n; j++) if (a && b) f();")
    assert not found("while (s < end && *s != ' ') s++;")
