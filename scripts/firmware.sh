#!/usr/bin/env bash
# usage: firmware.sh build|test        The bare-metal images under firmware/, and their tests under QEMU.
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ ! -f firmware/CMakeLists.txt ]]; then
    [[ ${1:-} == test ]] || echo "firmware: none in this tree"
    exit 0
fi
for tool in arm-linux-gnueabi-g++ qemu-system-arm; do
    if ! command -v "$tool" >/dev/null; then
        echo "firmware ${1:-}: SKIPPED, no $tool"
        exit 0
    fi
done

log=build/log/firmware.log
mkdir -p build/log
case ${1:-} in
build)
    if ! { cmake -S firmware -B build/firmware -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/arm-linux-gnueabi.cmake" &&
        cmake --build build/firmware; } >"$log" 2>&1 </dev/null; then
        tail -n 100 "$log" >&2
        echo "FAILED: firmware (log: $log)" >&2
        exit 1
    fi
    ;;
test) ctest --test-dir build/firmware --output-on-failure --timeout 300 -j 2 </dev/null ;;
*) echo "usage: firmware.sh build|test" >&2 && exit 2 ;;
esac
