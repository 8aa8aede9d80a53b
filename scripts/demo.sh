#!/usr/bin/env bash
# The main job: the published mmc_test cases on a simulated board, row by row beside what was measured on the real one.
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/demo
mkdir -p "$out"
build/release/bin/mmcpipe test --cases 37-44 --platform ux500 --compare data/published/mmc_test-ux500.csv \
    --timeline "$out/timeline.svg" --trace "$out/trace.json" --json="$out/results.json"
echo
echo "$out/timeline.svg   why: two blocking and two non-blocking reads (any browser)"
echo "$out/trace.json     the first requests of every row, for ui.perfetto.dev"
echo "$out/results.json   every row"
