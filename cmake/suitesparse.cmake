# SuiteSparse has no pkg-config files in Debian 12. ashlar::AMD: the fill-reducing order of the direct solver.
find_path(AMD_INCLUDE_DIR amd.h PATH_SUFFIXES suitesparse)
find_library(AMD_LIBRARY amd)
find_library(SUITESPARSECONFIG_LIBRARY suitesparseconfig)
if(AMD_INCLUDE_DIR AND AMD_LIBRARY AND SUITESPARSECONFIG_LIBRARY)
  if(NOT TARGET ashlar::AMD)
    add_library(ashlar::AMD INTERFACE IMPORTED)
    set_target_properties(ashlar::AMD PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${AMD_INCLUDE_DIR}"
      INTERFACE_LINK_LIBRARIES "${AMD_LIBRARY};${SUITESPARSECONFIG_LIBRARY}")
  endif()
elseif(PROJECT_NAME STREQUAL "ashlar")
  message(FATAL_ERROR "SuiteSparse's AMD is not found: amd.h, libamd, libsuitesparseconfig (Debian: libsuitesparse-dev)")
endif()

# ashlar::CHOLMOD: for the tests and the benchmarks of one's own build only.
find_library(CHOLMOD_LIBRARY cholmod)
if(CHOLMOD_LIBRARY AND EXISTS "${AMD_INCLUDE_DIR}/cholmod.h" AND NOT TARGET ashlar::CHOLMOD)
  add_library(ashlar::CHOLMOD INTERFACE IMPORTED)
  set_target_properties(ashlar::CHOLMOD PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${AMD_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${CHOLMOD_LIBRARY}")
endif()
