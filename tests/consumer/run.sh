#!/usr/bin/env bash
# usage: run.sh BUILD_DIR COMPILER
# Installs BUILD_DIR into a fresh prefix, builds the program beside this script against it and runs that; then runs the
# installed command, away from the sources and their profiles.
set -euo pipefail

here=$(dirname "$(realpath "$0")")
build=$1 compiler=$2
work=$build/consumer
rm -rf "$work"
prefix=$(mktemp -d "${TMPDIR:-/tmp}/mmcpipe-prefix.XXXXXX")
trap 'rm -rf "$prefix"' EXIT
cmake --install "$build" --prefix "$prefix" >"$build/consumer-install.log"
cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix"
cmake --build "$work/build"
"$work/build/consumer"

if [[ -x $prefix/bin/mmcpipe ]]; then
    cd "$prefix/bin"
    env -u MMCPIPE_DATA ./mmcpipe list platforms | grep ux500
    env -u MMCPIPE_DATA ./mmcpipe test --platform ux500 --cases 3,4 --compare ../share/mmcpipe/data/published/mmc_test-ux500.csv
fi
