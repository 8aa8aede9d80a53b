#!/usr/bin/env bash
# usage: lint.sh [format | quick]
# Formatting, the layer rules, the scripts themselves, clang-tidy. With "format": applies the formatting instead; with
# "quick": without clang-tidy.
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t sources < <(find mmcpipe tests firmware fuzz bench \( -name '*.h' -o -name '*.cpp' \) 2>/dev/null | sort)
mapfile -t scripts < <(find .ci scripts tests firmware -type f \( -name '*.sh' -o -path .ci/run \) 2>/dev/null | sort)

if [[ ${1:-} == format ]]; then
    clang-format-19 -i "${sources[@]}"
    exit
fi

check_format() {
    local bad
    bad=$(clang-format-19 --dry-run -Werror "${sources[@]}" 2>&1 | sed -n 's/^\([^:]*\):[0-9:]* error: .*/    \1/p' | sort -u)
    [[ -z $bad ]] || { printf 'run "make format" for:\n%s\n' "$bad" && return 1; }
}

# The core and the simulator; their headers come along.
check_tidy() {
    local output
    cmake --preset clang >/dev/null
    output=$(run-clang-tidy-19 -quiet -p build/clang "$PWD/mmcpipe/(base|spec|port|host|card|block|trial|sim)/.*" \
        </dev/null 2>&1) && return
    grep -vE '^(\[ *[0-9]+/[0-9]+\]|[0-9]+ warnings? |clang-tidy-19 |Enabled checks|Suppressed )' <<<"$output"
    return 1
}

failed=()
run() {
    echo "lint: $1"
    "${@:2}" || failed+=("$1")
}
run "format" check_format
run "layers" python3 -B scripts/check_layers.py
run "scripts" shellcheck "${scripts[@]}"
if [[ ${1:-} != quick ]]; then
    run "clang-tidy" check_tidy
fi
if ((${#failed[@]} > 0)); then
    echo "lint: FAILED: ${failed[*]}"
    exit 1
fi
