#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {

/// Throws Error (input) for recordings of different steps. `line`: a line of `other`.
[[noreturn]] void differ(const Recording& other, int line, const std::string& what);

/// Throws Error (input) with the first line of `other` at which names, forms of operands, arguments
/// or storages differ, ignoring sizes.
void check_form(const Recording& one, const Recording& other);
/// Throws Error (input) with the first line of `other` at which anything differs, for recordings of
/// one step in one size.
void check_equal(const Recording& one, const Recording& other);

/// Name of an op in messages: `aten.mm (op 3)`.
[[nodiscard]] std::string op_name(const Recording& recording, std::size_t op);

/// Number of tensors in an operand: one, or the length of a list.
[[nodiscard]] std::size_t count_of(const Operand& operand);
[[nodiscard]] TensorId element(const Operand& operand, std::size_t i);
[[nodiscard]] TensorId& element(Operand& operand, std::size_t i);

}  // namespace rooflab::recording
