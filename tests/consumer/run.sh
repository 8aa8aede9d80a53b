#!/usr/bin/env bash
# usage: run.sh BUILD_DIR COMPILER
# Installs BUILD_DIR into a fresh prefix, builds the program beside this script against it and runs that.
set -euo pipefail

here=$(dirname "$(realpath "$0")")
build=$1 compiler=$2
work=$build/consumer
rm -rf "$work"
cmake --install "$build" --prefix "$work/prefix" >"$build/consumer-install.log"
cmake -S "$here" -B "$work/build" -G Ninja -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build "$work/build"
"$work/build/consumer"
