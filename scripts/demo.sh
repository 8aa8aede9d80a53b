#!/usr/bin/env bash
# The main job: the published mmc_test cases on a simulated board, row by row beside what was measured on the real one.
set -euo pipefail
cd "$(dirname "$0")/.."

out=build/demo
mkdir -p "$out"
build/release/bin/mmcpipe test --cases 37-44 --platform ux500 --compare data/published/mmc_test-ux500.csv \
    --timeline "$out/timeline.svg" --trace "$out/trace.json" --json="$out/results.json"
echo "written: $out/timeline.svg $out/trace.json $out/results.json"
