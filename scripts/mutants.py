#!/usr/bin/env python3
"""usage: mutants.py [NAME...]
Breaks the sources in the ways that tests/mutants.toml lists, one at a time and in a copy, and sees that the tests which
guard them fail. Names may be parts of names. Exit status 1 if one went unnoticed."""
import pathlib
import re
import shutil
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
COPY = ROOT / "build" / "mutants" / "tree"
PARTS = ["CMakeLists.txt", "CMakePresets.json", "cmake", "mmcpipe", "tests", "profiles", "data", "scripts", "firmware", "bench"]


def variants(mutant, text):
    """The broken texts of one entry, each with a name."""
    if "each" in mutant:
        for match in re.finditer(mutant["each"], text):
            line = text.count("\n", 0, match.start()) + 1
            yield f"{mutant['name']} (line {line})", text[: match.start()] + match.expand(mutant["to"]) + text[match.end() :]
        return
    if text.count(mutant["from"]) != 1:
        raise SystemExit(f"mutants: '{mutant['name']}': its text is not there once in {mutant['file']}")
    yield mutant["name"], text.replace(mutant["from"], mutant["to"])


def build(program):
    command = ["cmake", "--build", "--preset", "release", "--target", program]
    done = subprocess.run(command, cwd=COPY, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout[-3000:], file=sys.stderr)
    return done.returncode == 0


def passes(mutant):
    command = [f"build/release/bin/{mutant['program']}", f"--gtest_filter={mutant['tests']}", "--gtest_brief=1"]
    try:
        return subprocess.run(command, cwd=COPY, capture_output=True, timeout=120).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def main(wanted):
    mutants = tomllib.loads((ROOT / "tests" / "mutants.toml").read_text())["mutant"]
    chosen = [m for m in mutants if not wanted or any(w in m["name"] for w in wanted)]
    if not chosen:
        print(f"mutants: none is called {', '.join(wanted)}; there are: {'; '.join(m['name'] for m in mutants)}", file=sys.stderr)
        return 2

    COPY.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.rmtree(COPY / part, ignore_errors=True)
            shutil.copytree(source, COPY / part)
        elif source.exists():
            shutil.copy2(source, COPY / part)
    subprocess.run(["cmake", "--preset", "release"], cwd=COPY, check=True, stdout=subprocess.DEVNULL)

    survived = 0
    for mutant in chosen:
        path = COPY / mutant["file"]
        sound = path.read_text()
        if not build(mutant["program"]) or not passes(mutant):
            print(f"mutants: {mutant['program']} does not pass unbroken", file=sys.stderr)
            return 1
        for name, broken in variants(mutant, sound):
            path.write_text(broken)
            if not build(mutant["program"]):
                raise SystemExit(f"mutants: '{name}' does not build")
            noticed = not passes(mutant)
            survived += not noticed
            print(f"{'noticed ' if noticed else 'SURVIVED'}  {name}", flush=True)
        path.write_text(sound)
    print(f"{survived} went unnoticed" if survived else "all were noticed")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
