# The libraries of the page without a server, from the sources of Debian's packages (tools/web fetches them). They take the
# names that the system's libraries have elsewhere.
set(ASHLAR_WEB_SOURCES ${PROJECT_BINARY_DIR}/sources CACHE PATH "Unpacked sources of Expat, Jansson, Qhull and SuiteSparse")

# web_library(NAME ALIAS INCLUDE SOURCES-PATTERN)
function(web_library name alias include pattern)
  file(GLOB sources ${ASHLAR_WEB_SOURCES}/${pattern})
  list(FILTER sources EXCLUDE REGEX "xmltok_(impl|ns)") # parts of another
  file(GLOB folder ${ASHLAR_WEB_SOURCES}/${include})
  if(NOT sources OR NOT folder)
    message(FATAL_ERROR "no ${pattern} in ${ASHLAR_WEB_SOURCES}: make web (tools/web) fetches it")
  endif()
  add_library(${name} STATIC ${sources})
  target_include_directories(${name} SYSTEM PUBLIC ${folder})
  target_compile_options(${name} PRIVATE -w -ffp-contract=off)
  add_library(${alias} ALIAS ${name})
endfunction()

web_library(web-qhull PkgConfig::QHULL qhull-*/src qhull-*/src/libqhull_r/*.c)
web_library(web-jansson PkgConfig::JANSSON jansson-*/src jansson-*/src/*.c)
file(GLOB configured ${ASHLAR_WEB_SOURCES}/jansson-*/android)
target_include_directories(web-jansson SYSTEM PUBLIC ${configured})
file(WRITE ${PROJECT_BINARY_DIR}/jansson/jansson_private_config.h "#define HAVE_STDINT_H 1\n")
target_include_directories(web-jansson PRIVATE ${PROJECT_BINARY_DIR}/jansson)
target_compile_definitions(web-jansson PRIVATE HAVE_CONFIG_H)
web_library(web-amd ashlar::AMD SuiteSparse-*/AMD/Include SuiteSparse-*/AMD/Source/amd_*.c)
file(GLOB configured ${ASHLAR_WEB_SOURCES}/SuiteSparse-*/SuiteSparse_config)
target_include_directories(web-amd SYSTEM PUBLIC ${configured})
target_sources(web-amd PRIVATE ${configured}/SuiteSparse_config.c)
web_library(web-expat PkgConfig::EXPAT libexpat-*/expat/lib libexpat-*/expat/lib/xml*.c)
file(WRITE ${PROJECT_BINARY_DIR}/expat/expat_config.h
  "#define BYTEORDER 1234\n#define XML_DEV_URANDOM 1\n#define XML_CONTEXT_BYTES 1024\n#define XML_DTD 1\n#define XML_NS 1\n")
target_include_directories(web-expat PRIVATE ${PROJECT_BINARY_DIR}/expat)
target_compile_definitions(web-expat PRIVATE HAVE_EXPAT_CONFIG_H)
