# The embeddable core for a target without an operating system: every source compiled, all of them linked into one
# relocatable object, and the symbols it still needs compared with a short list. Flags: see the freestanding-* presets.

set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
set(CMAKE_CXX_FLAGS_MINSIZEREL "-Os")

mmcpipe_core_sources(sources)
if(NOT sources)
    message(STATUS "freestanding: the core has no source yet")
    return()
endif()

separate_arguments(cpu_flags UNIX_COMMAND "${MMCPIPE_CPU_FLAGS}")
add_library(core OBJECT ${sources})
target_include_directories(core PRIVATE "${PROJECT_SOURCE_DIR}")
target_compile_options(core PRIVATE ${cpu_flags})

set(checker "${PROJECT_SOURCE_DIR}/scripts/check_symbols.sh")
add_custom_command(OUTPUT symbols_checked
    COMMAND ${CMAKE_CXX_COMPILER} ${cpu_flags} -nostdlib -r -o core.o "$<TARGET_OBJECTS:core>"
    COMMAND bash "${checker}" "${CMAKE_NM}" core.o ${MMCPIPE_SYMBOL_RULES}
    COMMAND ${CMAKE_COMMAND} -E touch symbols_checked
    BYPRODUCTS core.o
    DEPENDS core "$<TARGET_OBJECTS:core>" "${checker}"
    COMMENT "Linking core.o and checking its symbols"
    COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(symbols ALL DEPENDS symbols_checked)
