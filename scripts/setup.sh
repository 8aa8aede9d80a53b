#!/usr/bin/env bash
# usage: setup.sh [build] [test] [lint]        (default: all three)
# Installs the Debian packages that are missing, and only those. Silent when nothing is.
set -euo pipefail

build=(g++ cmake ninja-build ccache libfmt-dev nlohmann-json3-dev libtomlplusplus-dev libcli11-dev libboost-context-dev
    libnlopt-dev libnlopt-cxx-dev libgtest-dev libgmock-dev librapidcheck-dev valgrind)
test=(python3 binutils g++-arm-linux-gnueabi qemu-system-arm)
lint=(python3 clang-19 libclang-rt-19-dev clang-format-19 clang-tidy-19 shellcheck)

wanted=()
for set in "${@:-all}"; do
    case $set in
    build) wanted+=("${build[@]}") ;;
    test) wanted+=("${build[@]}" "${test[@]}") ;;
    lint) wanted+=("${build[@]}" "${lint[@]}") ;;
    all) wanted+=("${build[@]}" "${test[@]}" "${lint[@]}") ;;
    *) echo "setup: unknown set '$set' (build, test, lint)" >&2 && exit 2 ;;
    esac
done

if [[ ${MMCPIPE_SETUP:-} == skip ]]; then
    exit 0 # the caller has the tools from elsewhere
fi
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "setup: this is no Debian; install the equivalents of: ${wanted[*]}; then set MMCPIPE_SETUP=skip" >&2
    exit 1
fi

installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null || true)
missing=()
for package in "${wanted[@]}"; do
    if ! grep -qx "$package installed" <<<"$installed" && [[ " ${missing[*]} " != *" $package "* ]]; then
        missing+=("$package")
    fi
done
if ((${#missing[@]} == 0)); then
    exit 0
fi

root=()
if ((EUID != 0)); then
    command -v sudo >/dev/null || { echo "setup: must be root, or have sudo, to install ${missing[*]}" >&2 && exit 1; }
    root=(sudo)
fi
echo "setup: installing ${missing[*]}"
apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } </dev/null >"$log" 2>&1; then
    cat "$log" >&2
    echo "setup: apt-get could not install ${missing[*]}" >&2
    exit 1
fi
