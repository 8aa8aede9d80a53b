#!/usr/bin/env bash
# usage: fuzz.sh SECONDS        Runs every fuzz target that long. What it learns stays in build/fuzz/corpus/.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
for target in build/fuzz/fuzz/fuzz_*; do
    [[ -x $target ]] || continue
    name=$(basename "$target")
    corpus=build/fuzz/corpus/$name
    mkdir -p "$corpus"
    seeds=()
    [[ -d fuzz/corpus/${name#fuzz_} ]] && seeds=("fuzz/corpus/${name#fuzz_}")
    echo "== $name: $seconds s"
    "$target" -max_total_time="$seconds" -timeout=25 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix="build/fuzz/$name-" "$corpus" "${seeds[@]}"
done
