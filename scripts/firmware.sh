#!/usr/bin/env bash
# usage: firmware.sh build|test        The bare-metal images under firmware/, and their tests under QEMU: a line a test.
set -euo pipefail
cd "$(dirname "$0")/.."

skip_without() {
    command -v "$1" >/dev/null && return
    echo "firmware: SKIPPED, no $1"
    exit 0
}

log=build/log/firmware.log
mkdir -p build/log
case ${1:-} in
build)
    skip_without arm-linux-gnueabi-g++
    if ! { cmake -S firmware -B build/firmware -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/arm-linux-gnueabi.cmake" &&
        cmake --build build/firmware; } >"$log" 2>&1 </dev/null; then
        tail -n 100 "$log" >&2
        echo "FAILED: firmware (log: $log)" >&2
        exit 1
    fi
    ;;
test)
    skip_without arm-linux-gnueabi-g++
    skip_without qemu-system-arm
    ctest --test-dir build/firmware --output-on-failure --timeout 300 -j 2 </dev/null |
        grep -Ev '^(Internal ctest|Test project| *Start +[0-9]+:|$)'
    ;;
*) echo "usage: firmware.sh build|test" >&2 && exit 2 ;;
esac
