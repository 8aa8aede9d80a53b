#!/usr/bin/env bash
# usage: check_symbols.sh NM OBJECT [no-div64]
# What the core may ask of its environment: four memory functions, integer helpers of the compiler, atomics, abort.
# Not among them: the heap, floating point, static destructors, exceptions, the C library.
set -euo pipefail

nm=$1 object=$2 rule=${3:-}
allowed='mem(cpy|set|move|cmp)|abort|_ZSt9terminatev|__cxa_pure_virtual|__(sync|atomic)_[a-z0-9_]+'
allowed+='|__aeabi_(u?idiv(mod)?|lmul|u?lcmp|l(lsl|lsr|asr)|idiv0|ldiv0|mem(cpy|move|set|clr)[48]?|[ui](read|write)[48])'
allowed+='|__gnu_thumb1_[a-z0-9_]+|__(clz|ctz|popcount|parity|ffs|bswap)[sd]i2'
if [[ $rule != no-div64 ]]; then
    allowed+='|__aeabi_u?ldivmod|__gnu_u?ldivmod_helper'
fi

undefined=$("$nm" --undefined-only --format=posix "$object" | cut -d' ' -f1)
bad=$(grep -vxE "($allowed)?" <<<"$undefined" || true)
if [[ -n $bad ]]; then
    echo "$object needs symbols that the core must not need:"
    "${nm%nm}c++filt" <<<"$bad" | sed 's/^/    /'
    exit 1
fi
