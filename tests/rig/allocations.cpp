// The counter of tests/sim, for this program.
#include "tests/sim/allocations.cpp"
