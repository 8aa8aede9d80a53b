#!/usr/bin/env bash
# usage: run_firmware.sh [OPTION...] MACHINE IMAGE.elf
# Runs a bare-metal image under QEMU and judges how it ended.
#   --card SLOT=SIZE[=TEXT]  an SD card that begins with TEXT (default: mmcpipe, else the image does not write to it).
#                            SIZE is a power of two: 64M, 4G; up to 2G it is SDSC, above SDHC
#   --lost-sector N          of the cards: what is written there never arrives
#   --argument WORD          for the image
#   --json TEXT              let the image leave its results, and expect TEXT in what there is to say about them
#   --status N               expect this exit status (default 0)
#   --says REGEX             expect it in a line of the output
#   --qemu "OPTIONS"         for QEMU
# --card, --argument, --says and --qemu may come more than once. Time is counted in instructions, 8 ns each: a run repeats
# exactly, and a loaded machine causes no time-outs. Ends with 0, 1 if something is not as expected, 77 without QEMU.
set -euo pipefail

cards=() lost='' arguments=() json='' status=0 says=() options=()
usage() { sed -n '2,/^set/s/^# \?//p' "$0" >&2 && exit 2; }
while (($# > 2)); do
    case $1 in
    --card) cards+=("$2") ;;
    --lost-sector) lost=$2 ;;
    --argument) arguments+=("$2") ;;
    --json) json=$2 && arguments+=("json=results.json") ;;
    --status) status=$2 ;;
    --says) says+=("$2") ;;
    --qemu) read -ra words <<<"$2" && options+=("${words[@]}") ;;
    *) usage ;;
    esac
    shift 2
done
(($# == 2)) || usage
machine=$1 image=$(realpath "$2")

qemu="qemu-system-arm"
if ! command -v "$qemu" >/dev/null; then
    echo "SKIPPED: no $qemu"
    exit 77
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/mmcpipe-firmware.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

for card in "${cards[@]}"; do
    IFS='=' read -r slot size text <<<"$card"
    printf '%s' "${text:-mmcpipe}" >"card$slot"
    truncate -s "$size" "card$slot" # sparse
    if [[ -n $lost ]]; then
        file="file.driver=blkdebug,file.image.driver=file,file.image.filename=card$slot"
        file+=",file.inject-error.0.event=none,file.inject-error.0.iotype=write,file.inject-error.0.sector=$lost"
    else
        file="file=card$slot"
    fi
    options+=(-drive "if=sd,index=$slot,format=raw,$file")
done
semihosting="enable=on,target=native,arg=$machine"
for word in "${arguments[@]}"; do
    semihosting+=",arg=$word"
done

ended=0
timeout 120 "$qemu" -M "$machine" -kernel "$image" -display none -monitor none -serial none -audiodev none,id=none \
    -icount shift=3,sleep=off -semihosting-config "$semihosting" "${options[@]}" </dev/null 2>&1 | tee output || ended=$?

right=true
differs() {
    echo "run_firmware: $*"
    right=false
}
((ended == status)) || differs "exit status $ended instead of $status (124: did not end within two minutes)"
for regex in "${says[@]}"; do
    grep -Eq -- "$regex" output || differs "no line with: $regex"
done
# Seen from outside, the card is what it was before: the image has put its first sector back, or never touched it.
for card in "${cards[@]}"; do
    IFS='=' read -r slot _ text <<<"$card"
    text=${text:-mmcpipe}
    [[ $(head -c ${#text} "card$slot" | tr '\0' ' ') == "$text" ]] || differs "card $slot no longer begins with $text"
done
if [[ -n $json ]]; then
    summary=$(python3 -c 'import json
r = json.load(open("results.json"))
print(r["platform"], r["card"], len(r["cases"]), "cases,", sum(c["result"] == "OK" for c in r["cases"]), "OK")') ||
        differs "results.json is no JSON of results"
    echo "results.json: $summary"
    [[ $summary == *"$json"* ]] || differs "results.json: not $json"
fi
$right
