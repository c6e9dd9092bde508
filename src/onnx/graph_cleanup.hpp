#pragma once

#include "assembly.hpp"

namespace rooflab::onnx {

/// From everything a file says to the network that runs: results of constants alone become
/// constants, a parameter that is only seen through a view or a cast takes that form, what no
/// output needs goes, running statistics become buffers. Parameters keep their elements throughout.
void clean_up(Assembly& assembly);

}  // namespace rooflab::onnx
