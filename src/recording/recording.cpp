#include "rooflab/recording/recording.hpp"

#include <algorithm>
#include <map>

namespace rooflab::recording {

Phase Recording::phase() const {
  const bool trains =
      std::ranges::any_of(places, [](const Place& place) { return place.part == Part::backward; });
  if (trains) return Phase::training;
  return grad ? Phase::forward : Phase::inference;
}

Precision Recording::precision() const {
  for (const Place& place : places) {
    if (place.autocast == DType::bf16) return Precision::amp_bf16;
    if (place.autocast == DType::f16) return Precision::amp_fp16;
  }
  // The parameters say it; in a step without parameters every storage does.
  std::map<DType, Bytes> of_parameters;
  std::map<DType, Bytes> of_all;
  std::vector<bool> seen(storages.size(), false);
  for (const Tensor& tensor : tensors) {
    const Storage& storage = storages[graph::index_of(tensor.storage)];
    const DType dtype = layouts[graph::index_of(tensor.layout)].type.dtype;
    const bool is_parameter = storage.role == schedule::Role::parameter;
    if (seen[graph::index_of(tensor.storage)] || !(is_floating(dtype) || is_parameter)) continue;
    if (!precision_of_type(dtype)) continue;
    seen[graph::index_of(tensor.storage)] = true;
    (is_parameter ? of_parameters : of_all)[dtype] += storage.bytes;
  }
  const std::map<DType, Bytes>& bytes = of_parameters.empty() ? of_all : of_parameters;
  DType most = DType::f32;
  Bytes largest;
  Bytes sum;
  for (const auto& [dtype, amount] : bytes) {
    sum += amount;
    if (amount > largest) {
      largest = amount;
      most = dtype;
    }
  }
  // A few norms or gates in another type change nothing; 8-bit weights are multiplied otherwise.
  constexpr double nearly_all = 0.9;
  const bool quantised = size_of(most) == 1 && bytes.size() > 1;
  const bool several = largest.as_double() < nearly_all * sum.as_double();
  if (!of_parameters.empty() && (quantised || several)) return Precision::mixed;
  if (most == DType::f32 && tf32_products) return Precision::tf32;
  return precision_of_type(most).value_or(Precision::mixed);
}

schedule::Optimizer Recording::optimizer() const {
  for (const Optimizer& each : optimizers) {
    const auto option = [&](const char* key) {
      const auto found = each.options.find(key);
      return found == each.options.end() ? 0.0 : found->second;
    };
    if (each.class_name == "SGD" && option("nesterov") == 0.0) {
      return option("momentum") == 0.0 ? schedule::Optimizer::sgd
                                       : schedule::Optimizer::sgd_momentum;
    }
    if (each.class_name == "Adam" || each.class_name == "AdamW") return schedule::Optimizer::adam;
  }
  return schedule::Optimizer::none;
}

}  // namespace rooflab::recording
