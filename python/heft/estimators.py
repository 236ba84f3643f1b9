"""One estimator for each method, where the package is used from the source tree.

``generate.py`` writes the classes from the library's option tables. The build of a wheel does so too, and installs the text in
place of this file; here the classes are made on import, for the library in use.
"""

from __future__ import annotations

import importlib.util
import os

from ._base import HeftClassifier

BY_METHOD: dict[str, type[HeftClassifier]]
__all__: list[str]


def _generated() -> str:
    path = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "generate.py")
    spec = importlib.util.spec_from_file_location("heft_generate", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be read")
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    text: str = generate.module()
    return text


exec(compile(_generated(), "heft.estimators, made by generate.py", "exec"))
