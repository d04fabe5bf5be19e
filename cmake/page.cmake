# Makes the files of the viewer's page, as a script:
#   cmake -DVIEW=DIR -DNODE=PROGRAM -DNPM=PROGRAM -DOUT=DIR -P page.cmake
#
# Packages (view/node_modules) and the bundle (view/dist) belong to the source tree: every build tree takes copies, so
# that several presets, also at once, fetch and bundle only once. A hash of what they were made of tells whether they
# are still good. Where the packages cannot be fetched, the files are empty: the program then has no page and says so.
set(files index.html page.js style.css)
file(LOCK ${VIEW}/.lock GUARD PROCESS TIMEOUT 600)

# stamp(VARIABLE FILE): what the stamp holds; empty where there is none.
function(stamp variable file)
  set(content "")
  if(EXISTS ${file})
    file(READ ${file} content)
  endif()
  set(${variable} "${content}" PARENT_SCOPE)
endfunction()

file(SHA256 ${VIEW}/package-lock.json packages)
stamp(installed ${VIEW}/node_modules/.ashlar-packages)
set(fetched TRUE)
if(NOT installed STREQUAL packages)
  message(STATUS "fetching the packages of the viewer's page (npm)")
  execute_process(COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error --prefer-offline
    --fetch-retries=1 --fetch-retry-mintimeout=1000 WORKING_DIRECTORY ${VIEW} RESULT_VARIABLE result OUTPUT_QUIET)
  if(result EQUAL 0)
    file(WRITE ${VIEW}/node_modules/.ashlar-packages ${packages})
  else()
    set(fetched FALSE)
    message(WARNING "npm could not fetch the packages of the viewer's page (above). The program is built without it; "
      "with a network, build again by make, or configure again.")
  endif()
endif()

file(MAKE_DIRECTORY ${OUT})
if(NOT fetched)
  foreach(file ${files} missing)
    file(WRITE ${OUT}/${file} "")
  endforeach()
  return()
endif()

file(GLOB_RECURSE sources ${VIEW}/src/*)
list(SORT sources)
set(hashes ${packages})
foreach(source ${VIEW}/build.mjs ${sources})
  file(SHA256 ${source} hash)
  string(APPEND hashes "\n${hash} ${source}")
endforeach()
stamp(bundled ${VIEW}/dist/.sources)
if(NOT bundled STREQUAL hashes)
  execute_process(COMMAND ${NODE} build.mjs WORKING_DIRECTORY ${VIEW} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "the viewer's page could not be bundled (above)")
  endif()
  file(WRITE ${VIEW}/dist/.sources "${hashes}")
endif()
foreach(file ${files})
  file(COPY_FILE ${VIEW}/dist/${file} ${OUT}/${file} ONLY_IF_DIFFERENT)
endforeach()
