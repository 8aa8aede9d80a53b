# Warnings, sanitizers and the compiler cache, for every target defined after this point.

set(MMCPIPE_CORE_FOLDERS base spec port host card block trial)

if(PROJECT_IS_TOP_LEVEL)
    if(NOT CMAKE_BUILD_TYPE)
        set(CMAKE_BUILD_TYPE RelWithDebInfo)
    endif()
    # Assertions stay on: nothing here is measured in wall time.
    set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g")

    find_program(CCACHE ccache)
    if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
        set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE}")
        set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
    endif()
    set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

    add_compile_options(-Wall -Wextra "$<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>")
    if(MMCPIPE_WERROR)
        add_compile_options(-Werror)
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        add_compile_options(-Wshadow=local) # a parameter may be called like an accessor
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        add_compile_options(-Wno-restrict) # g++ 12 reports std::string operator+ (its bug 105651)
    endif()
endif()

if(MMCPIPE_SANITIZE)
    add_compile_options(-fsanitize=${MMCPIPE_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${MMCPIPE_SANITIZE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        add_compile_options(-Wno-maybe-uninitialized) # false alarms in instrumented code
    endif()
endif()

# The sources of one folder; `port` is only its own level, below it live the environments.
function(mmcpipe_sources out folder)
    set(root "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../mmcpipe")
    cmake_path(NORMAL_PATH root)
    if(folder STREQUAL "port")
        file(GLOB sources CONFIGURE_DEPENDS "${root}/port/*.cpp")
    else()
        file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${root}/${folder}/*.cpp")
    endif()
    set(${out} "${sources}" PARENT_SCOPE)
endfunction()

# The sources of the embeddable core. Firmware compiles the same ones.
function(mmcpipe_core_sources out)
    set(all "")
    foreach(folder IN LISTS MMCPIPE_CORE_FOLDERS)
        mmcpipe_sources(sources ${folder})
        list(APPEND all ${sources})
    endforeach()
    set(${out} "${all}" PARENT_SCOPE)
endfunction()
