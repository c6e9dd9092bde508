# The promise at the head of op.hpp: an op without a row of facts, or without one of its rules, does
# not compile. A copy of op.hpp gets an op Toy, which the sources see in place of the real one.
#
#   cmake -DCOMPILER=c++ -DSOURCE=. -DWORK=FOLDER [-DTORCH=FOLDER;...] -P new_op.cmake
#
# First Toy has no row: what looks up facts must not compile. Then it has a row: lookups and the
# files of other families compile, and each file that must hold a rule of Toy's says which one.

set(op_header include/rooflab/graph/op.hpp)
set(facts_header include/rooflab/graph/op_facts.hpp)
file(REMOVE_RECURSE ${WORK})

# Replaces `what`, which must be there.
function(replace_in variable what by)
  string(FIND "${${variable}}" "${what}" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "'${what}' was not found: adapt tests/new_op/new_op.cmake")
  endif()
  string(REPLACE "${what}" "${by}" result "${${variable}}")
  set(${variable} "${result}" PARENT_SCOPE)
endfunction()

# Compiles without making an object; `errors` gets what the compiler says of errors, empty if none.
function(compile source errors)
  set(folders -I${WORK}/include -I${SOURCE}/include -I${SOURCE}/src)
  list(REMOVE_ITEM TORCH /usr/include)  # the compiler looks there itself, in its own order
  foreach(folder IN LISTS TORCH)
    list(APPEND folders -idirafter ${folder})  # may name a folder that the compiler knows itself
  endforeach()
  execute_process(
    COMMAND ${COMPILER} -std=c++20 -fsyntax-only ${folders} ${SOURCE}/${source}
    RESULT_VARIABLE failed ERROR_VARIABLE said OUTPUT_QUIET)
  if(failed)
    string(REGEX MATCHALL "[^\n]*error:[^\n]*" lines "${said}")
    set(${errors} "${lines}" PARENT_SCOPE)
  else()
    set(${errors} "" PARENT_SCOPE)
  endif()
endfunction()

set(demands 0)
# The compiler must ask for `what` for Toy.
function(expect_demand source what)
  compile(${source} errors)
  if(NOT errors MATCHES "${what}" OR NOT errors MATCHES "Toy")
    message(SEND_ERROR "${source}: the compiler was to ask for '${what}' for Toy: ${errors}")
  else()
    message(STATUS "${source}: asks for ${what}")
  endif()
  math(EXPR demands "${demands} + 1")
  set(demands ${demands} PARENT_SCOPE)
endfunction()

function(expect_clean source)
  compile(${source} errors)
  if(errors)
    message(SEND_ERROR "${source} was to compile: ${errors}")
  endif()
endfunction()

file(READ ${SOURCE}/${op_header} text)
replace_in(text "/// An op outside the closed set:" "struct Toy { std::int64_t axis = 0; };\n///")
replace_in(text "Generate, Opaque>;" "Generate, Toy, Opaque>;")
file(WRITE ${WORK}/${op_header} "${text}")

# ---- without a row
foreach(source IN ITEMS src/graph/op.cpp src/graph/precision_rewrite.cpp src/cost/cost.cpp
                        src/predict/host_class.cpp src/analyze/layer_table.cpp)
  expect_demand(${source} facts_of)
endforeach()

# ---- with a row: family movement, no figure for each element, its own sizes and extents
file(READ ${SOURCE}/${facts_header} text)
replace_in(text "// ---- use of the facts" "constexpr OpFacts<Toy> facts_of(For<Toy>) {
  return {.word = \"toy\", .operands = Operands{1, 1}, .family = Family::movement,
          .op_class = OpClass::copy, .issued_as = \"copy\", .autocast = Autocast::as_is,
          .sizes = Sizes::own, .keeps_samples_apart = anywhere, .holds_extents = true};
}
// ---- use of the facts")
file(WRITE ${WORK}/${facts_header} "${text}")

foreach(source IN ITEMS src/graph/op.cpp src/graph/precision_rewrite.cpp src/graph/infer_types.cpp
                        src/graph/matrix_types.cpp src/schedule/forward_matrix_rules.cpp
                        src/cost/cost.cpp src/predict/host_class.cpp src/analyze/layer_table.cpp
                        src/analyze/counted_gap.cpp)
  expect_clean(${source})
endforeach()
set(demands 0)
expect_demand(src/graph/text_form_writer.cpp fields_of)
expect_demand(src/graph/op_constraints.cpp fault)
expect_demand(src/graph/movement_types.cpp infer)
expect_demand(src/graph/extent_scaler.cpp ExtentScaler)
expect_demand(src/schedule/forward_movement_rules.cpp "deleted function.*ForwardRules")
expect_demand(src/schedule/backward_movement_rules.cpp "deleted function.*BackwardRules")
expect_demand(src/cost/movement_cost.cpp "arithmetic|initialization")
expect_demand(src/predict/op_shape.cpp node)
if(TORCH)
  expect_demand(workers/torch/movement_operations.cpp run)
endif()
message(STATUS "Toy has a row of facts and lacks ${demands} rules, each in one file")
