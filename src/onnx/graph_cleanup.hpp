#pragma once

#include "assembly.hpp"

namespace rooflab::onnx {

/// Reduces everything in a file to the network that runs: results of constants become constants, a
/// parameter that is only used through a view or a cast takes that form, unneeded parts are
/// removed, running statistics become buffers. Parameters keep their elements.
void clean_up(Assembly& assembly);

/// Removes nodes that no output depends on. Values keep their ids, so that rules that search the
/// readers of a result see only nodes that run, before anything is renumbered.
void drop_unused_nodes(Assembly& assembly);

/// Puts whole numbers into the graph where they are known: other indices would be other work, and
/// without the file's weights a network runs with random numbers.
void keep_indices(Assembly& assembly);

}  // namespace rooflab::onnx
