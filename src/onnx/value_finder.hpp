#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "assembly.hpp"
#include "tensor_data.hpp"

namespace rooflab::onnx {

/// Finds the data of every parameter, buffer and constant of a finished graph.
class ValueFinder {
 public:
  /// `unfolded` is the assembly before the clean-up: what computes the constants is still in it.
  ValueFinder(Assembly unfolded, const Source& source, std::filesystem::path file)
      : unfolded_(std::move(unfolded)), data_(source, std::move(file)) {}

  /// Fills places, bytes, without_values and the notes about them. Throws Error (input) as
  /// TensorData::place.
  void find(const Assembly& assembly, ImportResult& result);

 private:
  [[nodiscard]] bool find_stored(const graph::Value& value, const Facts& facts,
                                 ImportResult& result);
  void compute(const std::vector<graph::ValueId>& wanted);
  void compute_node(const graph::Node& node);
  [[nodiscard]] const ConstantTensor* operand(graph::ValueId id);
  bool spend(std::int64_t elements);

  Assembly unfolded_;
  TensorData data_;
  std::size_t spent_ = 0;                                    ///< elements computed
  std::unordered_map<graph::ValueId, std::string> reasons_;  ///< why a value is not known
};

}  // namespace rooflab::onnx
