#!/usr/bin/env python3
"""Feeds small trees to scripts/check_layers.py: every rule must fire where it should, and only there."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import check_layers


class CheckLayers(unittest.TestCase):
    def findings(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / path
            file.parent.mkdir(parents=True)
            file.write_text(text)
            return check_layers.check(Path(folder))

    def assert_clean(self, path, text):
        self.assertEqual(self.findings(path, text), [])

    def assert_finds(self, path, text, message, line=1):
        findings = self.findings(path, text)
        self.assertEqual(len(findings), 1, findings)
        self.assertTrue(findings[0].startswith(f"{path}:{line}: "), findings[0])
        self.assertIn(message, findings[0])

    def test_every_edge_of_the_table_is_allowed_and_every_other_one_is_not(self):
        for layer in check_layers.MAY_USE:
            for used in check_layers.MAY_USE:
                path, text = f"mmcpipe/{layer}/a.cpp", f'#include "mmcpipe/{used}/b.h"\n'
                with self.subTest(layer=layer, used=used):
                    if used == layer or used in check_layers.MAY_USE[layer]:
                        self.assert_clean(path, text)
                    else:
                        self.assert_finds(path, text, f"{layer} may not use {used}")

    def test_the_table_says_what_the_design_says(self):
        for layer, used, allowed in [
            ("sim", "host", False),
            ("host", "sim", False),
            ("rig", "host", True),
            ("rig", "sim", True),
            ("measure", "sim", False),
            ("measure", "trial", True),
            ("card", "block", False),
            ("port", "port/posix", False),
            ("measure", "port/posix", False),
            ("cli", "port/bare", False),
        ]:
            self.assertEqual(used in check_layers.MAY_USE[layer], allowed, f"{layer} -> {used}")

    def test_an_include_in_angle_brackets_is_an_edge_too(self):
        self.assert_finds("mmcpipe/base/a.cpp", "\n#include <mmcpipe/spec/b.h>\n", "base may not use spec", line=2)

    def test_an_include_in_a_comment_is_no_edge(self):
        self.assert_clean("mmcpipe/base/a.cpp", '// #include "mmcpipe/spec/b.h"\n/*\n#include "mmcpipe/spec/b.h"\n*/\n')

    def test_an_include_of_an_unknown_folder_is_found(self):
        self.assert_finds("mmcpipe/cli/a.cpp", '#include "mmcpipe/else/b.h"\n', "cli may not use mmcpipe/else/b.h")

    def test_relative_includes_are_found(self):
        self.assert_finds("mmcpipe/base/a.cpp", '#include "../spec/b.h"\n', "by their path from the root")

    def test_a_file_outside_the_table_is_found(self):
        self.assert_finds("mmcpipe/misc/a.cpp", "int a;\n", "not in a folder of the layer table")

    def test_platform_names_are_found_in_text_and_in_file_names(self):
        for word in ["ux500", "U8500", "u5500", "Versatile", "versatilepb", "zynq", "zcu102", "mainstone", "tosa", "pxa270"]:
            with self.subTest(word=word):
                self.assert_finds("mmcpipe/cli/a.cpp", f"// as on the {word}\n", "names a platform")
        self.assert_finds("mmcpipe/cli/a.cpp", "struct OnVexpress {};\n", "names a platform")
        self.assert_finds("mmcpipe/sim/zynq_board.cpp", "", "names a platform")

    def test_controllers_and_ordinary_words_are_no_platforms(self):
        self.assert_clean("mmcpipe/host/pl18x/pl18x.cpp", "// pxamci; autosave to a disk\nint autosave, into_sata;\n")

    def test_platforms_may_be_named_outside_the_library(self):
        self.assert_clean("firmware/versatilepb/main.cpp", "// versatilepb\n")

    def test_the_core_has_no_conditional_compilation(self):
        for line in ["#if 0", "#ifdef __linux__", "#ifndef X", "  # if X", "#else", "#elif Y"]:
            with self.subTest(line=line):
                self.assert_finds("mmcpipe/host/a.cpp", f"int a;\n{line}\n", "no conditional compilation", line=2)
        self.assert_clean("mmcpipe/trial/mmcpipe_c.h", "#pragma once\n#ifdef __cplusplus\n#endif\n")
        self.assert_clean("mmcpipe/sim/a.cpp", "#if 0\n#endif\n")
        self.assert_clean("mmcpipe/port/posix/a.cpp", "#ifdef __linux__\n#endif\n")

    def test_the_core_has_no_exceptions_rtti_or_iostream(self):
        for line in ["throw 1;", "try {", "dynamic_cast<B*>(a);", "typeid(a);", "#include <iostream>"]:
            with self.subTest(line=line):
                self.assert_finds("mmcpipe/card/a.cpp", f"{line}\n", "the core may not use")
                self.assert_clean("mmcpipe/sim/a.cpp", f"{line}\n")

    def test_comments_and_strings_may_say_anything(self):
        self.assert_clean("mmcpipe/card/a.cpp", 'const char* a = "throw"; // try { typeid }\n/* throw\n#if */ int x = 1\'000;\n')

    def test_long_files_are_found(self):
        self.assert_clean("mmcpipe/base/a.cpp", "int a;\n" * 500)
        self.assert_finds("mmcpipe/base/a.cpp", "//\n" * 501, "more than 500 lines", line=501)

    def test_vague_names_are_found(self):
        for name in ["util.cpp", "string_utils.cpp", "common.h", "test_helper.cpp", "manager.cpp"]:
            with self.subTest(name=name):
                self.assert_finds(f"mmcpipe/base/{name}", "#pragma once\n", "says nothing")
        self.assert_finds("mmcpipe/host/common/a.cpp", "", "says nothing")
        self.assert_clean("mmcpipe/card/command_utility.cpp", "")

    def test_headers_need_pragma_once(self):
        self.assert_finds("mmcpipe/base/a.h", "int a();\n", "#pragma once")

    def test_awaiting_in_a_condition_is_found(self):
        for line in [
            "if (co_await f()) {}",
            "if (const auto r = co_await f(); r) {}",
            "if constexpr (g(co_await f())) {}",
            "while (!(co_await f())) {}",
            "do {} while (co_await f());",
            "for (; co_await f();) {}",
            "switch (co_await f()) {}",
            "if (a &&\n    co_await f()) {}",
            "EXPECT_TRUE(co_await f());",
        ]:
            for path in ["mmcpipe/card/a.cpp", "mmcpipe/measure/a.cpp", "tests/card/a_test.cpp", "firmware/b/main.cpp"]:
                with self.subTest(line=line, path=path):
                    self.assert_finds(path, f"{line}\n", "co_await inside a condition")

    def test_awaiting_elsewhere_is_fine(self):
        self.assert_clean(
            "mmcpipe/card/a.cpp",
            "const auto r = co_await f();\nif (r) co_await g();\nwhile (more()) { co_await g(); }\n"
            "// if (co_await f())\nreturn (a) ? co_await f() : 0;\n",
        )


if __name__ == "__main__":
    unittest.main()
