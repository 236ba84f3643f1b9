"""One estimator for each method, where the package is used from the source tree.

``generate.py`` writes the classes from the library's option tables. The build of a wheel does so too, and installs the text in
place of this file; here the classes are made on import, for the library in use.
"""

from __future__ import annotations

from ._base import HeftClassifier
from ._structs import generator

BY_METHOD: dict[str, type[HeftClassifier]]
__all__: list[str]

exec(compile(generator().module(), "heft.estimators, made by generate.py", "exec"))
