"""The structs of _ffi are those of the headers: names, places and sizes, by the C compiler's word."""
import ctypes
import os
import shutil
import subprocess

import pytest

from heft import _ffi, ranks

PAIRS = {
    "heft_error": _ffi.Error, "heft_host": _ffi.Host, "heft_runtime": _ffi.Runtime,
    "heft_config": _ffi.Config, "heft_matrix": _ffi.Matrix, "heft_attribute": _ffi.Attribute,
    "heft_source": _ffi.Source, "heft_check_plan": _ffi.CheckPlan, "heft_term_info": _ffi.TermInfo,
    "heft_report_plan": _ffi.ReportPlan, "heft_export_options": _ffi.ExportOptions,
    "heft_class_figures": _ffi.ClassFigures, "heft_option_info": _ffi.OptionInfo,
    "heft_setting_info": _ffi.SettingInfo, "heft_method_info": _ffi.MethodInfo, "heft_eval_plan": _ffi.Plan, "heft_cell": _ffi.Cell,
    "heft_measure_info": _ffi.MeasureInfo,
    "heft_comm": ranks._Struct,
}


def test_structs_are_laid_out_as_in_the_header(root, tmp_path):
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if not compiler:
        pytest.skip("there is no C compiler")
    headers = sorted(name for name in os.listdir(os.path.join(root, "include")) if name.endswith(".h"))
    made = os.path.join(os.path.dirname(os.path.dirname(_ffi.lib._name)), "include")  # heft_version.h
    lines = [*(f"#include <{name}>" for name in headers), "#include <stdio.h>", "int main(void) {"]
    expected = []
    for name, struct in PAIRS.items():
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        expected.append(f"{name} {ctypes.sizeof(struct)}")
        for field in struct._fields_:
            lines.append(f'printf("{name}.{field[0]} %zu\\n", offsetof({name}, {field[0]}));')
            expected.append(f"{name}.{field[0]} {getattr(struct, field[0]).offset}")
    source = tmp_path / "structs.c"
    source.write_text("\n".join([*lines, "return 0; }", ""]))
    program = tmp_path / "structs"
    subprocess.run([compiler, source, "-I", os.path.join(root, "include"), "-I", made, "-o", program],
                   check=True)
    assert subprocess.run([program], capture_output=True, text=True).stdout.splitlines() == expected
