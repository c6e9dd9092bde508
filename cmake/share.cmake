# The build tree has the layout of the install tree, so the program finds its data by one rule:
# ../share/rooflab relative to itself.

file(GLOB ROOFLAB_PLOTLY_BUNDLE CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/node_modules/plotly.js-basic-dist-min/plotly-basic.min.js)
if(ROOFLAB_PLOTLY_BUNDLE)
  configure_file(${ROOFLAB_PLOTLY_BUNDLE} ${PROJECT_BINARY_DIR}/share/rooflab/plotly/plotly-basic.min.js
                 COPYONLY)
  message(STATUS "Rooflab: Plotly bundle: ${ROOFLAB_PLOTLY_BUNDLE}")
else()
  file(REMOVE_RECURSE ${PROJECT_BINARY_DIR}/share/rooflab/plotly)
  message(STATUS "Rooflab: Plotly bundle: none, reports hold static SVG (npm ci, then configure)")
endif()

# What the program runs in the user's Python: the cost of issuing ops there (`rooflab probe`), and where its
# PyTorch is (`rooflab doctor --build-worker`).
set(ROOFLAB_PYTHON_SCRIPTS pytorch_host.py torch_place.py)
foreach(script IN LISTS ROOFLAB_PYTHON_SCRIPTS)
  configure_file(${PROJECT_SOURCE_DIR}/tools/${script} ${PROJECT_BINARY_DIR}/share/rooflab/${script} COPYONLY)
endforeach()
