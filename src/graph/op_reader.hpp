#pragma once

#include "rooflab/graph/op.hpp"
#include "text_cursor.hpp"

namespace rooflab::graph {

/// Reads the word of an op and its attributes, up to its operands. Throws Error (input) at a word
/// that is not known.
[[nodiscard]] Op read_op(TextCursor& cursor);
[[nodiscard]] DType read_dtype(TextCursor& cursor);

}  // namespace rooflab::graph
