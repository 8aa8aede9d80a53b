# find_package(mmcpipe) gives mmcpipe::core, and with COMPONENTS sim also mmcpipe::sim.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/mmcpipe")
set(installed core)
if(MMCPIPE_HOSTED)
    list(APPEND installed sim)
endif()
foreach(name IN LISTS installed)
    install(TARGETS mmcpipe_${name} EXPORT mmcpipe_${name})
    install(EXPORT mmcpipe_${name} NAMESPACE mmcpipe:: FILE mmcpipe-${name}.cmake DESTINATION "${config_dir}")
endforeach()
foreach(folder IN LISTS MMCPIPE_CORE_FOLDERS ITEMS sim)
    if(EXISTS "${PROJECT_SOURCE_DIR}/mmcpipe/${folder}" AND (folder IN_LIST MMCPIPE_CORE_FOLDERS OR MMCPIPE_HOSTED))
        install(DIRECTORY "${PROJECT_SOURCE_DIR}/mmcpipe/${folder}" DESTINATION include/mmcpipe FILES_MATCHING PATTERN "*.h")
    endif()
endforeach()
if(TARGET mmcpipe)
    install(TARGETS mmcpipe)
    # Where the command looks for them, from bin/.
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/profiles" "${PROJECT_SOURCE_DIR}/data" DESTINATION share/mmcpipe)
endif()

configure_package_config_file(cmake/mmcpipeConfig.cmake.in "${PROJECT_BINARY_DIR}/mmcpipeConfig.cmake"
    INSTALL_DESTINATION "${config_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/mmcpipeConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/mmcpipeConfig.cmake" "${PROJECT_BINARY_DIR}/mmcpipeConfigVersion.cmake"
    DESTINATION "${config_dir}")
