#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "rooflab/graph/op.hpp"
#include "rooflab/graph/op_kinds.hpp"

/// What a row of op_facts.hpp states.
namespace rooflab::graph {

using Name = std::string_view;

/// A fact that every row must state.
template <class Value>
class Stated {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a row names the value itself.
  constexpr Stated(Value value) : value_(value) {}
  template <std::convertible_to<Value> Other>
  constexpr Stated(Other value) : value_(value) {}
  constexpr operator Value() const { return value_; }
  // NOLINTEND(google-explicit-constructor)

 private:
  Value value_;
};

/// A fact that is constant for an op, or that its attributes decide.
template <class Struct, class Value>
class Fact {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a row names the value or the function itself.
  constexpr Fact(Value same) : same_(same) {}
  template <std::convertible_to<Value (*)(const Struct&)> Decide>
  constexpr Fact(Decide decide) : decide_(decide) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] constexpr Value of(const Struct& op) const {
    return decide_ == nullptr ? same_ : decide_(op);
  }

 private:
  Value same_{};
  Value (*decide_)(const Struct&) = nullptr;
};

inline constexpr std::size_t any_number = std::numeric_limits<std::size_t>::max();

/// Number of operands that an op takes.
struct Operands {
  std::size_t least;
  std::size_t most;
};

/// The facts of one op. Defaults hold for most ops.
template <class Struct>
struct OpFacts {
  /// Name in the text form, and in tables unless `name` gives another.
  Stated<std::string_view> word;
  /// Name in tables where attributes decide it.
  std::string_view (*name)(const Struct&) = nullptr;
  /// Attribute whose length ends the name: `conv` with two extents is `conv2d`.
  std::vector<std::int64_t> Struct::*dimensions = nullptr;
  Fact<Struct, Operands> operands;
  Fact<Struct, std::size_t> results = std::size_t{1};
  bool is_view = false;
  bool vanishes_in_evaluation = false;  ///< evaluation passes the operand on
  /// Attribute by which the result overwrites the first operand's memory.
  bool Struct::*in_place = nullptr;
  Stated<Family> family;
  Fact<Struct, OpClass> op_class;
  Stated<std::string_view> issued_as;  ///< class of the host's issue cost
  std::string_view issued_like = {};   ///< wider class, for costs without the first
  Fact<Struct, Autocast> autocast;
  /// Vector FLOPs per element of the result where these are constant; else cost/ has a rule.
  std::optional<Fact<Struct, PerElement>> flops = {};
  Fact<Struct, Convention> convention = Convention::none;
  Stated<Sizes> sizes;
  /// Whether the op treats all samples alike and separately if an operand has the batch there.
  Stated<bool (*)(const Struct&, BatchAt)> keeps_samples_apart;
  /// Extents of the result are among its attributes: graph/batch_tracker.cpp changes them.
  bool holds_extents = false;
};

}  // namespace rooflab::graph
