# cmake --install: headers, libraries, the program, scenes; then find_package(uptack) gives uptack::uptack.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(libraries uptack)
foreach(station ${UPTACK_STATIONS})
  list(APPEND libraries uptack_${station})
endforeach()
install(TARGETS ${libraries} EXPORT uptack ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS uptack_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/uptack DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY scenes/ DESTINATION ${CMAKE_INSTALL_DATADIR}/uptack/scenes)
install(EXPORT uptack NAMESPACE uptack:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/uptack)
configure_package_config_file(cmake/uptackConfig.cmake.in uptackConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/uptack)
write_basic_package_version_file(uptackConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/uptackConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/uptackConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/uptack)
