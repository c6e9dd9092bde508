#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "assembly.hpp"
#include "constant_computer.hpp"
#include "limits.hpp"
#include "tensor_data.hpp"

namespace rooflab::onnx {

/// Finds the data of every parameter, buffer and constant of a finished graph.
class ValueFinder {
 public:
  /// `unfolded`: the assembly before the clean-up, which still has the nodes that compute
  /// constants.
  ValueFinder(Assembly unfolded, const Source& source, std::filesystem::path file)
      : unfolded_(std::move(unfolded)),
        data_(source, std::move(file)),
        folded_(unfolded_, data_, max_computed_elements, ConstantComputer::Unreadable::is_error) {}
  // `folded_` refers to its neighbours.
  ValueFinder(const ValueFinder&) = delete;
  ValueFinder& operator=(const ValueFinder&) = delete;

  /// Fills places, bytes, without_values and the notes about them. Throws Error (input) as
  /// TensorData::place.
  void find(const Assembly& assembly, ImportResult& result);

 private:
  [[nodiscard]] bool find_stored(const graph::Value& value, const Facts& facts,
                                 ImportResult& result);

  Assembly unfolded_;
  TensorData data_;
  ConstantComputer folded_;                                  ///< values of `unfolded_`
  std::unordered_map<graph::ValueId, std::string> reasons_;  ///< reasons for unknown stored values
};

}  // namespace rooflab::onnx
