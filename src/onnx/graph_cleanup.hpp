#pragma once

#include "assembly.hpp"

namespace rooflab::onnx {

/// From everything a file says to the network that runs: results of constants alone become
/// constants, a parameter that is only seen through a view or a cast takes that form, what no
/// output needs goes, running statistics become buffers. Parameters keep their elements throughout.
void clean_up(Assembly& assembly);

/// Removes nodes that no output depends on. Values keep their ids, so that a rule that reads the
/// graph (who else reads this result?) sees only nodes that run, before anything is renumbered.
void drop_unused_nodes(Assembly& assembly);

}  // namespace rooflab::onnx
