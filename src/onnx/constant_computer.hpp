#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "assembly.hpp"
#include "tensor_data.hpp"

namespace rooflab::onnx {

/// Computes constants of any size, from an assembly that still has the nodes that make them.
///
/// Its results are kept outside the assembly, so that checking a large constant does not change
/// other decisions of an import. Constants that are made by equal ops from equal operands (such as
/// a mask made in each layer) are computed once.
class ConstantComputer {
 public:
  /// Treatment of stored data that cannot be read, such as data of a missing file.
  enum class Unreadable : std::uint8_t { is_error, is_unknown };

  /// Takes the assembly. `budget`: largest number of elements to read and compute, for all
  /// constants together.
  ConstantComputer(const Assembly& assembly, TensorData& data, std::size_t budget,
                   Unreadable unreadable)
      : assembly_(assembly), data_(data), budget_(budget), unreadable_(unreadable) {}

  /// Computes these values and their operands. Throws Error (input) as TensorData::place() where
  /// unreadable data are an error.
  void compute(const std::vector<graph::ValueId>& wanted);

  /// Data of a value that is stored, or that compute() computed; nullptr where it is not available;
  /// reason() explains why. Throws as compute().
  [[nodiscard]] const ConstantTensor* find(graph::ValueId id);

  /// Reason why find() returns nullptr: `it is too large to be computed while importing`.
  [[nodiscard]] std::string reason(graph::ValueId id) const;

 private:
  /// A node that was computed.
  struct Made {
    graph::Op op;
    std::vector<graph::ValueId> outputs;
  };

  void compute_node(const graph::Node& node);
  [[nodiscard]] std::optional<ConstantTensor> stored(graph::ValueId id);
  /// The first value that is known to be equal, or the value itself.
  [[nodiscard]] graph::ValueId representative(graph::ValueId id);
  [[nodiscard]] const ConstantTensor* known(graph::ValueId id) const;
  bool spend(std::int64_t elements);

  const Assembly& assembly_;
  TensorData& data_;
  std::size_t budget_;
  Unreadable unreadable_;
  std::unordered_map<graph::ValueId, ConstantTensor> computed_;
  std::unordered_map<graph::ValueId, graph::ValueId> same_;        ///< representatives found
  std::vector<graph::ValueId> small_;                              ///< distinct small constants
  std::map<std::vector<graph::ValueId>, std::vector<Made>> made_;  ///< keys: their operands
  std::unordered_map<graph::ValueId, std::string> reasons_;        ///< why a value is not known
};

}  // namespace rooflab::onnx
