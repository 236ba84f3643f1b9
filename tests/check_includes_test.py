#!/usr/bin/env python3
"""The checker of the folders' order finds each kind of fault, in a small tree that has one at a time."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import check_includes  # noqa: E402

CLEAN = {
    "include/heft.h": "typedef struct heft_model heft_model;\nint heft_fit(void);\n",
    "lib/base/text.h": "int heft_text(void);\n",
    "lib/base/text.c": '#include "base/text.h"\nint heft_text(void)\n{\n    return 1;\n}\n',
    "lib/model/model.h": "struct heft_model {\n    int x;\n};\n"
                         "typedef struct heft_score {\n    int x;\n} heft_score;\n"
                         "int heft_score_of(heft_score *s);\n",
    "lib/model/model.c": '#include "model/model.h"\n#include "base/text.h"\n'
                         "int heft_score_of(heft_score *s)\n{\n    return s->x + heft_text();\n}\n",
    "lib/methods/auto/pool.h": "int heft_pool(void);\n",
    "lib/methods/auto/pool.c": "int heft_pool(void);\nint heft_pool(void)\n{\n    return 2;\n}\n",
    "lib/methods/lazy/near.c": "int heft_near(void);\nint heft_near(void)\n{\n    return 3;\n}\n",
    "lib/export/show.h": "int heft_show(void);\n",
    "lib/api/api.c": '#include "heft.h"\n#include "model/model.h"\n'
                     "int heft_fit(void)\n{\n    return 0;\n}\n",
    "cli/main.h": "int run(void);\n",
    "cli/main.c": '#include "heft.h"\n#include "main.h"\nint run(void)\n{\n    return 0;\n}\n',
}


class Order(unittest.TestCase):
    def faults(self, changes, compiled=False):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**CLEAN, **changes}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            objects = None
            if compiled:
                objects = root / "objects"
                objects.mkdir()
                for file in (root / "lib").rglob("*.c"):
                    name = file.relative_to(root / "lib").as_posix().replace("/", "_")
                    subprocess.run([os.environ.get("CC", "cc"), "-w", "-c", f"-I{root}/lib",
                                    f"-I{root}/include", file, "-o", objects / (name + ".o")],
                                   check=True)
            return [line.replace(f"{root}/", "") for line in check_includes.faults_of(root, objects)]

    def only(self, fault, changes, compiled=False):
        self.assertEqual(self.faults(changes, compiled), [fault])

    def test_a_clean_tree_has_none(self):
        self.assertEqual(self.faults({}, compiled=True), [])

    def test_modules_that_need_each_other(self):
        self.only("lib: these files need each other: stats/a, stats/b, stats/c",
                  {"lib/stats/a.h": '#include "stats/b.h"\n', "lib/stats/b.h": "int b;\n",
                   "lib/stats/b.c": '#include "stats/c.h"\n', "lib/stats/c.h": '#include "stats/a.h"\n'})

    def test_files_that_call_each_other(self):
        """The header that declares both functions hides the circle from the includes."""
        both = {"lib/stats/ab.h": "int heft_a(int);\nint heft_b(int);\n"}
        for own, other in ("ab", "ba"):
            both[f"lib/stats/{own}.c"] = (f'#include "stats/ab.h"\nint heft_{own}(int n)\n{{\n'
                                          f"    return n ? heft_{other}(n - 1) : 0;\n}}\n")
        self.assertEqual(self.faults(both), [])
        self.only("lib: these files call each other: stats/a.c, stats/b.c", both, compiled=True)

    def test_an_include_of_what_is_a_methods_own(self):
        self.only("lib/eval/use.h: eval must not include methods/auto/pool.h",
                  {"lib/eval/use.h": '#include "methods/auto/pool.h"\n'})

    def test_an_include(self):
        self.only("lib/base/up.h: base must not include model/model.h",
                  {"lib/base/up.h": '#include "model/model.h"\n'})

    def test_an_include_between_methods(self):
        self.only("lib/methods/lazy/up.h: methods/lazy must not include methods/auto/pool.h",
                  {"lib/methods/lazy/up.h": '#include "methods/auto/pool.h"\n'})

    def test_an_include_of_the_next_folder(self):
        self.only("lib/export/up.h: export must not include pages/page.h",
                  {"lib/export/up.h": '#include "pages/page.h"\n', "lib/pages/page.h": ""})

    def test_an_include_without_its_folder(self):
        self.only('lib/base/up.h: include "text.h" by its path from lib',
                  {"lib/base/up.h": '#include "text.h"\n'})

    def test_a_forward_declaration(self):
        self.only("lib/prep/up.h: prep must not name heft_score of model/model.h",
                  {"lib/prep/up.h": "struct heft_score;\nint heft_up(struct heft_score *s);\n"})

    def test_a_forward_declaration_with_a_typedef(self):
        self.only("lib/prep/up.h: prep must not name heft_score of model/model.h",
                  {"lib/prep/up.h": "typedef struct heft_score heft_score;\n"})

    def test_a_declared_function(self):
        self.only("lib/base/up.h: base must not name heft_score_of of model/model.c",
                  {"lib/base/up.h": "int heft_score_of(void *s);\n"})

    def test_a_type_of_a_source_file(self):
        self.only("lib/data/up.h: data must not name heft_hidden of model/hidden.c",
                  {"lib/model/hidden.c": "struct heft_hidden {\n    int x;\n};\n",
                   "lib/data/up.h": "typedef struct heft_hidden heft_hidden;\n"})

    def test_a_name_that_is_defined_twice(self):
        self.only("lib/train/up.h: heft_score is defined in model/model.h too",
                  {"lib/train/up.h": "typedef struct heft_score {\n    int x;\n} heft_score;\n"})

    def test_a_public_function_that_is_called(self):
        self.only("lib/base/up.c: base must not name heft_fit of api/api.c",
                  {"lib/base/up.c": '#include "heft.h"\nstatic int up(void)\n{\n'
                                    "    return heft_fit();\n}\n"})

    def test_public_types_are_everybodys(self):
        self.assertEqual(self.faults({"lib/base/up.h": '#include "heft.h"\n'
                                                       "int heft_up(heft_model *m);\n"}), [])

    def test_comments_and_texts_may_name_anything(self):
        self.assertEqual(self.faults({"lib/base/up.h": "/* see heft_score_of */\n"
                                                       '#define UP "heft_score"\n'}), [])

    def test_a_call_that_the_text_hides(self):
        self.only("lib/base/up.c: base must not call heft_score_of of model/model.c",
                  {"lib/base/up.c": "#define CALL(name) heft_##name(0)\n"
                                    "int up(void)\n{\n    return CALL(score_of);\n}\n"},
                  compiled=True)

    def test_a_folder_without_a_place(self):
        self.only("lib/misc/up.h: the folder 'misc' has no place in the order",
                  {"lib/misc/up.h": "\n"})

    def test_objects_that_are_not_there(self):
        with tempfile.TemporaryDirectory() as empty:
            root = pathlib.Path(empty)
            (root / "lib/base").mkdir(parents=True)
            (root / "include").mkdir()
            (root / "include/heft.h").write_text("\n")
            (root / "lib/base/a.c").write_text("\n")
            self.assertEqual(check_includes.faults_of(root, root),
                             [f"{root}: there is no object file of lib"])

    def test_the_program(self):
        self.only("cli/main.c: the program sees only the headers of include, not base/text.h",
                  {"cli/main.c": '#include "base/text.h"\n'})

    def test_scratch_memory(self):
        self.only("lib/data/up.c: scratch memory is known to base alone (loops: base/rows.h)",
                  {"lib/data/up.c": "void up(void) { heft_spill_release_pages(); }\n"})

    def test_ranks(self):
        self.only("lib/stats/up.c: ranks are reached through base/all.h",
                  {"lib/stats/up.c": "void up(void) { heft_comm_rank(); }\n"})

    def test_threads(self):
        self.only("lib/data/up.c: threads are used through base/rows.h",
                  {"lib/data/up.c": "void up(void) { pthread_create(); }\n"})
        self.only("lib/data/up.c: threads are used through base/rows.h",
                  {"lib/data/up.c": "void up(void) { heft_pool_run(); }\n"})

    def test_names_are_unique(self):
        self.only("lib/data/text.c: the name is taken by lib/base/text.c",
                  {"lib/data/text.c": "\n"})


if __name__ == "__main__":
    result = unittest.main(exit=False).result
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    sys.exit(failed > 0)
