#!/usr/bin/env bash
# usage: test.sh [STAGE...]        (release asan tsan freestanding firmware, or those given; also: clang debug headers)
# Builds and runs the tests. A build is quiet unless it fails; ctest shows one line a test. Ends at the first failure.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p build/log

# Runs a command into a log, which is shown if the command fails.
quietly() {
    local log=build/log/$1.log
    shift
    if ! "$@" >"$log" 2>&1 </dev/null; then
        grep -v '^\[[0-9]*/[0-9]*\] \(Building\|Linking\|Creating\)' "$log" | tail -n 100 >&2 || true
        echo "FAILED: $* (log: $log)" >&2
        return 1
    fi
}

# build PRESET [OPTION...]
build() {
    quietly "$1-configure" cmake --preset "$1"
    quietly "$1-build" cmake --build --preset "$@"
}

# The sanitizers of g++ 12 do not know how far newer kernels randomise addresses.
fixed_addresses=()
if setarch -R true 2>/dev/null; then
    fixed_addresses=(setarch -R)
fi

build_and_test() {
    build "$1"
    "${fixed_addresses[@]}" ctest --preset "$1" </dev/null
    awk -v stage="$1" '/^\[==========\] [0-9]+ tests? from/ { n += $2 } END { print stage ": " n + 0 " GoogleTest cases ran" }' \
        "build/$1/Testing/Temporary/LastTest.log"
}

freestanding() {
    if ! command -v arm-linux-gnueabi-g++ >/dev/null; then
        echo "freestanding: SKIPPED, no arm-linux-gnueabi-g++"
        return
    fi
    build freestanding-armv5
    build freestanding-armv7m
}

firmware() {
    scripts/firmware.sh build
    scripts/firmware.sh test
}

if (($# == 0)); then
    set -- release asan tsan freestanding firmware
fi
for stage in "$@"; do
    echo "== $stage"
    start=$SECONDS
    case $stage in
    release | asan | tsan | clang | debug) build_and_test "$stage" ;;
    freestanding | firmware) "$stage" ;;
    headers) build release --target headers_alone ;;
    *) echo "test: unknown stage '$stage'" >&2 && exit 2 ;;
    esac
    echo "== $stage: ok ($((SECONDS - start)) s)"
done
