# Installation: headers, both libraries in both forms, the program, a CMake package and pkg-config files. Everything
# finds the rest from its own place, so the tree can be moved (and DESTDIR works).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(ASHLAR_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ashlar)

set_target_properties(ashlar-shared PROPERTIES EXPORT_NAME ashlar)
set_target_properties(ashlar-scene-shared PROPERTIES EXPORT_NAME scene INSTALL_RPATH "$ORIGIN")
set_target_properties(ashlar-static PROPERTIES EXPORT_NAME ashlar-static)
set_target_properties(ashlar-scene-static PROPERTIES EXPORT_NAME scene-static)

install(DIRECTORY include/ashlar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS ashlar-shared ashlar-scene-shared EXPORT ashlarTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ashlar-static ashlar-scene-static EXPORT ashlarStaticTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET ashlar-cli)
  install(TARGETS ashlar-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(EXPORT ashlarTargets NAMESPACE ashlar:: DESTINATION ${ASHLAR_PACKAGE_DIR})
install(EXPORT ashlarStaticTargets NAMESPACE ashlar:: DESTINATION ${ASHLAR_PACKAGE_DIR})
configure_package_config_file(cmake/ashlarConfig.cmake.in ${CMAKE_BINARY_DIR}/package/ashlarConfig.cmake
  INSTALL_DESTINATION ${ASHLAR_PACKAGE_DIR})
# Before 1.0 a new minor version may break a program.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/ashlarConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/ashlarConfig.cmake ${CMAKE_BINARY_DIR}/package/ashlarConfigVersion.cmake
  cmake/suitesparse.cmake DESTINATION ${ASHLAR_PACKAGE_DIR})

file(RELATIVE_PATH ASHLAR_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(module ashlar ashlar-scene)
  configure_file(cmake/${module}.pc.in ${CMAKE_BINARY_DIR}/package/${module}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/package/${module}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
