"""The structs of the library, where the package is used from the source tree.

``generate.py`` reads them from the headers. The build of a wheel does so too, and installs the text in place of this file.
"""

from __future__ import annotations

import importlib.util
import os
from typing import Any

FIELDS: dict[str, list[tuple[str, str]]]


def generator() -> Any:
    """The module generate.py of the source tree."""
    path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "generate.py")
    spec = importlib.util.spec_from_file_location("heft_generate", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be read")
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    return generate


exec(compile(generator().structs(), "heft._structs, made by generate.py", "exec"))
