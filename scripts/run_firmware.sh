#!/usr/bin/env bash
# usage: run_firmware.sh MACHINE IMAGE.elf CARD_SIZE [QEMU OPTIONS...]
# Runs a bare-metal image under QEMU with an empty SD card of CARD_SIZE (a power of two: 64M, 4G; up to 2G is SDSC, above SDHC).
# Time is counted in instructions, 8 ns each, so a run repeats exactly and a loaded machine causes no time-outs.
# The exit status is the image's own; 124 if it did not end within a minute, 77 (skipped) without QEMU.
set -euo pipefail

if (($# < 3)); then
    sed -n 's/^# usage/usage/p' "$0" >&2
    exit 2
fi
machine=$1 image=$2 size=$3
shift 3

qemu="qemu-system-arm"
if ! command -v "$qemu" >/dev/null; then
    echo "SKIPPED: no $qemu"
    exit 77
fi

card=$(mktemp "${TMPDIR:-/tmp}/mmcpipe-card.XXXXXX")
trap 'rm -f "$card"' EXIT
printf 'mmcpipe' >"$card" # the images write to no other card
truncate -s "$size" "$card" # sparse

timeout 60 "$qemu" -M "$machine" -kernel "$image" -display none -monitor none -serial none -audiodev none,id=none \
    -icount shift=3,sleep=off -semihosting-config enable=on,target=native \
    -drive if=sd,format=raw,file="$card" "$@" </dev/null
