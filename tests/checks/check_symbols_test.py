#!/usr/bin/env python3
"""Gives scripts/check_symbols.sh objects that need one symbol each: it must tell the allowed from the others."""

import subprocess
import tempfile
import unittest
from pathlib import Path

CHECKER = Path(__file__).resolve().parents[2] / "scripts" / "check_symbols.sh"


class CheckSymbols(unittest.TestCase):
    def run_on(self, symbol, *rules):
        with tempfile.TemporaryDirectory() as folder:
            source, result = Path(folder) / "a.s", Path(folder) / "a.o"
            source.write_text(f".globl start\nstart: .long {symbol}\n" if symbol else ".globl start\nstart: .long 0\n")
            subprocess.run(["as", "-o", result, source], check=True)
            return subprocess.run(["bash", CHECKER, "nm", result, *rules], capture_output=True, text=True)

    def assert_allowed(self, symbol, *rules):
        done = self.run_on(symbol, *rules)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), symbol)

    def assert_refused(self, symbol, *rules, shown=None):
        done = self.run_on(symbol, *rules)
        self.assertEqual(done.returncode, 1, symbol)
        self.assertIn(shown or symbol, done.stdout)

    def test_an_object_that_needs_nothing_passes(self):
        self.assert_allowed("")

    def test_memory_functions_and_integer_helpers_pass(self):
        for symbol in ["memcpy", "memset", "memmove", "memcmp", "__aeabi_uidivmod", "__aeabi_llsl", "__aeabi_uldivmod",
                       "__sync_fetch_and_add_4", "__atomic_load_8", "__gnu_thumb1_case_uqi", "abort"]:
            self.assert_allowed(symbol)

    def test_the_heap_exceptions_floating_point_and_the_c_library_are_refused(self):
        self.assert_refused("_Znwj", shown="operator new(unsigned int)")
        self.assert_refused("_ZdlPvj", shown="operator delete(void*, unsigned int)")
        self.assert_refused("_ZSt20__throw_length_errorPKc", shown="std::__throw_length_error")
        for symbol in ["malloc", "printf", "__cxa_throw", "__aeabi_dadd", "__aeabi_i2f", "__aeabi_atexit", "__cxa_atexit",
                       "xmemcpy", "memcpyx"]:
            self.assert_refused(symbol)

    def test_64_bit_division_is_refused_where_asked(self):
        self.assert_refused("__aeabi_uldivmod", "no-div64")
        self.assert_refused("__aeabi_ldivmod", "no-div64")
        self.assert_allowed("__aeabi_uidiv", "no-div64")


if __name__ == "__main__":
    unittest.main()
