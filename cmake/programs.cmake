# bench/NAME.cpp -> bench_NAME (target `benches`), fuzz/NAME.cpp -> fuzz_NAME (target `fuzzers`, preset `fuzz`).

add_custom_target(benches)
add_custom_target(fuzzers)
if(NOT MMCPIPE_HOSTED)
    return()
endif()

file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*.cpp")
foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(bench_${name} EXCLUDE_FROM_ALL "${source}")
    target_link_libraries(bench_${name} PRIVATE mmcpipe_cli)
    set_target_properties(bench_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bench")
    add_dependencies(benches bench_${name} mmcpipe) # some run the command
endforeach()

file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/fuzz/*.cpp")
if(NOT MMCPIPE_FUZZ)
    set(sources "")
endif()
foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(fuzz_${name} EXCLUDE_FROM_ALL "${source}")
    target_link_libraries(fuzz_${name} PRIVATE mmcpipe_cli)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/fuzz")
    add_dependencies(fuzzers fuzz_${name})
endforeach()
