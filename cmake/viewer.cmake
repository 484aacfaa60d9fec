# The page of `uptack report`, `view` and `compare`: viewer/ bundled to one HTML file, which becomes part of the
# report station's library.  npm's packages go to the build tree, in the versions of viewer/package-lock.json.
option(UPTACK_VIEWER "Build the browser page (needs node and npm)" ON)
if(NOT UPTACK_VIEWER)
  return()
endif()

find_program(NODE NAMES node nodejs)
find_program(NPM npm)
if(NOT NODE OR NOT NPM)
  message(FATAL_ERROR "The browser page needs node and npm: install them (apt install nodejs npm), "
                      "or build without the page: -DUPTACK_VIEWER=OFF")
endif()
enable_language(ASM)

set(viewer ${PROJECT_SOURCE_DIR}/viewer)
set(packages ${PROJECT_BINARY_DIR}/viewer)
set(page ${packages}/page.html)
file(MAKE_DIRECTORY ${packages})

add_custom_command(
    OUTPUT ${packages}/packages.stamp
    COMMAND ${CMAKE_COMMAND} -E copy ${viewer}/package.json ${viewer}/package-lock.json ${viewer}/.npmrc ${packages}
    COMMAND ${NPM} ci --loglevel=error --no-progress > ${packages}/npm.log
    COMMAND ${CMAKE_COMMAND} -E touch ${packages}/packages.stamp
    WORKING_DIRECTORY ${packages}
    DEPENDS ${viewer}/package.json ${viewer}/package-lock.json ${viewer}/.npmrc
    COMMENT "Fetching the page's packages (npm ci)" VERBATIM)

file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${viewer}/src/*)
add_custom_command(
    OUTPUT ${page}
    COMMAND ${CMAKE_COMMAND} -E env UPTACK_NODE_MODULES=${packages}/node_modules ${NODE} ${viewer}/build.mjs ${page}
    DEPENDS ${packages}/packages.stamp ${viewer}/build.mjs ${viewer}/tsconfig.json ${page_sources}
    COMMENT "Bundling the page" VERBATIM)

# Apart from the station, whose warning flags are for C++ only.
add_library(uptack_report_page OBJECT ${PROJECT_SOURCE_DIR}/src/report/page_template.S)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/report/page_template.S PROPERTIES
    COMPILE_DEFINITIONS "UPTACK_PAGE=\"${page}\"" OBJECT_DEPENDS ${page})
target_sources(uptack_report PRIVATE $<TARGET_OBJECTS:uptack_report_page>)
target_compile_definitions(uptack_report PRIVATE UPTACK_HAVE_PAGE=1)
