#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {

/// Throws Error (input): the recordings are not of the same step. `line` is one of `other`.
[[noreturn]] void differ(const Recording& other, int line, const std::string& what);

/// Throws Error (input) with the first line of `other` at which names, forms of operands, arguments
/// or storages are not those of the same step. Sizes do not count.
void check_form(const Recording& one, const Recording& other);
/// The same where anything differs: it is the same step of the same size.
void check_equal(const Recording& one, const Recording& other);

/// `aten.mm (op 3)`.
[[nodiscard]] std::string op_name(const Recording& recording, std::size_t op);

/// Tensors of an operand: one, or those of a list.
[[nodiscard]] std::size_t count_of(const Operand& operand);
[[nodiscard]] TensorId element(const Operand& operand, std::size_t i);
[[nodiscard]] TensorId& element(Operand& operand, std::size_t i);

}  // namespace rooflab::recording
