# Installation: headers, both libraries in both forms, the program with its manual page and completion, scenes, schemas,
# a CMake package and pkg-config files. Everything finds the rest from its own place, so the tree can be moved (and
# DESTDIR works).
#
# Users see one library, ashlar, which is all that ashlar/ashlar.h declares: libashlar-scene on libashlar. Its core, which
# needs neither Jansson nor HDF5, is there under the name of core.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(ASHLAR_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/ashlar)

set_target_properties(ashlar-shared PROPERTIES EXPORT_NAME core)
set_target_properties(ashlar-scene-shared PROPERTIES EXPORT_NAME ashlar INSTALL_RPATH "$ORIGIN")
set_target_properties(ashlar-static PROPERTIES EXPORT_NAME core-static)
set_target_properties(ashlar-scene-static PROPERTIES EXPORT_NAME ashlar-static)

install(DIRECTORY include/ashlar DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS ashlar-shared ashlar-scene-shared EXPORT ashlarTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ashlar-static ashlar-scene-static EXPORT ashlarStaticTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET ashlar-cli)
  install(TARGETS ashlar-cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET ashlar-mpi)
  install(TARGETS ashlar-mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/ashlar)
endif()
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/ashlar FILES_MATCHING PATTERN "*.json")
install(FILES docs/scene.schema.json docs/problem.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/ashlar/schemas)
install(FILES LICENSE CHANGES.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT ashlarTargets NAMESPACE ashlar:: DESTINATION ${ASHLAR_PACKAGE_DIR})
install(EXPORT ashlarStaticTargets NAMESPACE ashlar:: DESTINATION ${ASHLAR_PACKAGE_DIR})
configure_package_config_file(cmake/ashlarConfig.cmake.in ${CMAKE_BINARY_DIR}/package/ashlarConfig.cmake
  INSTALL_DESTINATION ${ASHLAR_PACKAGE_DIR})
# Before 1.0 a new minor version may break a program.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/ashlarConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/ashlarConfig.cmake ${CMAKE_BINARY_DIR}/package/ashlarConfigVersion.cmake
  cmake/suitesparse.cmake DESTINATION ${ASHLAR_PACKAGE_DIR})

file(RELATIVE_PATH ASHLAR_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(module ashlar ashlar-core)
  configure_file(cmake/${module}.pc.in ${CMAKE_BINARY_DIR}/package/${module}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/package/${module}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# The manual page and the completion of shells are printed by the program itself, from its tables of options.
if(TARGET ashlar-cli AND NOT CMAKE_CROSSCOMPILING)
  set(pages ${CMAKE_BINARY_DIR}/pages)
  add_custom_command(OUTPUT ${pages}/ashlar.1 ${pages}/ashlar ${pages}/ashlar.fish ${pages}/_ashlar
    COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}
    COMMAND ashlar-cli help --man > ${pages}/ashlar.1
    COMMAND ashlar-cli help --completion bash > ${pages}/ashlar
    COMMAND ashlar-cli help --completion fish > ${pages}/ashlar.fish
    COMMAND ashlar-cli help --completion zsh > ${pages}/_ashlar
    DEPENDS ashlar-cli COMMENT "Printing the manual page and the completion" VERBATIM)
  add_custom_target(ashlar-pages ALL DEPENDS ${pages}/ashlar.1 ${pages}/ashlar ${pages}/ashlar.fish ${pages}/_ashlar)
  add_dependencies(product ashlar-pages)
  install(FILES ${pages}/ashlar.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${pages}/ashlar DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${pages}/ashlar.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${pages}/_ashlar DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()

# Programs find the library at once where the system looks for libraries: root renews the system's list of them.
install(CODE [[
  execute_process(COMMAND id -u OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_program(LDCONFIG ldconfig PATHS /sbin /usr/sbin)
  if("$ENV{DESTDIR}" STREQUAL "" AND user STREQUAL "0" AND LDCONFIG)
    execute_process(COMMAND ${LDCONFIG})
  endif()
]])
