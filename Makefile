# The everyday commands. What they do is in scripts/ and CMakePresets.json.

.PHONY: help demo build test lint format bench soak mutants fuzz firmware firmware-test clean
.DEFAULT_GOAL := help

help:
	@echo 'make demo           the main job: published mmc_test cases, simulated, beside what was measured'
	@echo 'make build          build/release/bin/mmcpipe'
	@echo 'make test           all tests: release, sanitizers, freestanding core, firmware under QEMU'
	@echo 'make lint           formatting, clang-tidy, layer rules, shellcheck'
	@echo 'make format         apply clang-format'
	@echo 'make bench          the programs under bench/'
	@echo 'make soak           random workloads and faults, many times over (SOAK_CASES=10000)'
	@echo 'make mutants        breaks the sources in listed ways and sees that tests fail (tests/mutants.toml)'
	@echo 'make fuzz           every libFuzzer target for FUZZ_SECONDS=60'
	@echo 'make firmware       bare-metal images; make firmware-test runs them under QEMU'
	@echo 'make clean          remove build/'

build:
	@scripts/setup.sh build
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target programs

demo: build
	@scripts/demo.sh

test:
	@scripts/setup.sh test
	@scripts/test.sh

lint:
	@scripts/setup.sh lint
	@scripts/lint.sh

format:
	@scripts/setup.sh lint
	@scripts/lint.sh format

bench:
	@scripts/setup.sh build
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target benches
	@set -e; for program in build/release/bench/bench_*; do [ ! -x "$$program" ] || "$$program"; done

SOAK_CASES ?= 10000
soak:
	@scripts/setup.sh build
	@cmake --preset release >/dev/null
	@cmake --build --preset release
	@RC_PARAMS="seed=$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ') max_success=$(SOAK_CASES)" \
		ctest --preset release --timeout 36000

mutants:
	@scripts/setup.sh test
	@python3 -B scripts/mutants.py

FUZZ_SECONDS ?= 60
fuzz:
	@scripts/setup.sh lint
	@cmake --preset fuzz >/dev/null
	@cmake --build --preset fuzz
	@scripts/fuzz.sh $(FUZZ_SECONDS)

firmware:
	@scripts/setup.sh test
	@scripts/firmware.sh build

firmware-test: firmware
	@scripts/firmware.sh test

clean:
	rm -rf build
