#include "dimension_binding.hpp"

#include "assembly.hpp"
#include "base/format.hpp"
#include "notes/onnx_notes.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::onnx {
namespace {

std::string place_of(const ValueInfoView& input, std::size_t axis) {
  return format("{}:{}", input.name, axis);
}

/// Some writers put 0 for "open".
bool is_open(const DimensionView& dimension) { return !dimension.value || *dimension.value == 0; }

[[noreturn]] void refuse_unknown(const std::string& key, const std::vector<std::string>& names) {
  throw Error(ErrorKind::usage, format("the inputs have no dimension '{}'", key),
              names.empty() ? "all their dimensions are fixed; --batch N changes the batch"
                            : format("they have: {}", join(names, ", ")));
}

}  // namespace

std::int64_t DimensionBinding::bind(const ValueInfoView& input, std::size_t axis) {
  const DimensionView& dimension = input.type.dims[axis];
  const std::string place = place_of(input, axis);
  const bool named = !dimension.symbol.empty();
  const bool is_batch = axis == 0 && inputs_ == 0;  // graph::Graph::batch()
  const std::string name = named ? std::string(dimension.symbol) : place;
  for (const std::string& key : {place, name}) {
    const auto given = options_.dims.find(key);
    if (given == options_.dims.end()) continue;
    used_.insert(key);
    if (given->second < 1) {
      throw Error(ErrorKind::usage, format("dimension '{}' cannot be {}", key, given->second),
                  "use 1 or more");
    }
    const auto same = options_.dims.find(name);
    if (same != options_.dims.end() && same->second != given->second) {
      throw Error(ErrorKind::usage,
                  format("'{}' and '{}' are one dimension, which cannot be both {} and {}", key,
                         name, given->second, same->second),
                  "give one of the two");
    }
    if (is_batch && options_.batch && *options_.batch != given->second) {
      throw Error(ErrorKind::usage,
                  format("'{}' is the batch: it cannot be both {} (--dim) and {} (--batch)", key,
                         given->second, *options_.batch),
                  "give one of the two");
    }
    fixed_otherwise_ = fixed_otherwise_ || !is_open(dimension);
    if (named) symbols_.emplace(name, given->second);
    return given->second;
  }
  // A negative extent is never right.
  if (!is_open(dimension)) {
    if (*dimension.value > 0) return *dimension.value;
    throw Error(ErrorKind::input,
                format("dimension {} of input '{}' is {}", axis, input.name, *dimension.value),
                format("give its extent: --dim {}=N", place));
  }
  if (named) {
    const auto bound = symbols_.find(name);
    if (bound != symbols_.end()) return bound->second;
  }
  if (axis != 0) {
    throw Error(ErrorKind::input,
                format("dimension {} of input '{}' is open{}", axis, input.name,
                       named ? format(": '{}'", name) : std::string()),
                format("give its extent: --dim {}=8", name));
  }
  const std::int64_t extent = options_.batch.value_or(1);
  if (extent < 1) {
    throw Error(ErrorKind::usage, format("the batch cannot be {}", extent), "use 1 or more");
  }
  if (!options_.batch) {
    notes_.push_back({says.batch_taken_as_1, {name}});
  }
  if (named) symbols_.emplace(name, extent);
  return extent;
}

graph::TensorType DimensionBinding::bind_input(const ValueInfoView& input) {
  const std::optional<DType> dtype = dtype_of(input.type.element_type);
  if (!input.type.is_tensor || !dtype) {
    throw Error(ErrorKind::input, format("input '{}' is not a tensor of numbers", input.name));
  }
  if (!input.type.has_shape) {
    throw Error(ErrorKind::input, format("input '{}' has no shape", input.name),
                "export the network with example inputs");
  }
  std::vector<std::int64_t> dims;
  for (std::size_t axis = 0; axis < input.type.dims.size(); ++axis) {
    dims.push_back(bind(input, axis));
  }
  ++inputs_;
  graph::Shape shape(std::move(dims));
  require_plausible(shape);
  return {*dtype, std::move(shape)};
}

std::optional<graph::TensorType> DimensionBinding::resolve(const TypeView& type) const {
  const std::optional<DType> dtype = dtype_of(type.element_type);
  if (!type.is_tensor || !type.has_shape || !dtype) return std::nullopt;
  std::vector<std::int64_t> dims;
  for (const DimensionView& dimension : type.dims) {
    if (dimension.value) {
      if (*dimension.value < 0) return std::nullopt;
      dims.push_back(*dimension.value);
      continue;
    }
    const auto bound = symbols_.find(dimension.symbol);
    if (bound == symbols_.end()) return std::nullopt;
    dims.push_back(bound->second);
  }
  return graph::TensorType{*dtype, graph::Shape(std::move(dims))};
}

bool DimensionBinding::contradicts(const TypeView& declared, const graph::TensorType& made) const {
  if (fixed_otherwise_ || !declared.is_tensor) return false;
  if (!declared.has_shape || declared.dims.empty()) return false;  // the writer knew none
  const std::optional<DType> dtype = dtype_of(declared.element_type);
  if (dtype && *dtype != made.dtype) return true;
  if (declared.dims.size() != made.shape.rank()) return true;
  for (std::size_t axis = 0; axis < declared.dims.size(); ++axis) {
    const DimensionView& dimension = declared.dims[axis];
    if (!is_open(dimension) && *dimension.value != made.shape[axis]) return true;
  }
  return false;
}

void DimensionBinding::require_known(const std::vector<const ValueInfoView*>& inputs) const {
  if (options_.dims.empty()) return;
  std::set<std::string> known;
  std::vector<std::string> open;
  for (const ValueInfoView* const input : inputs) {
    for (std::size_t axis = 0; axis < input->type.dims.size(); ++axis) {
      const DimensionView& dimension = input->type.dims[axis];
      const std::string place = place_of(*input, axis);
      const std::string name = dimension.symbol.empty() ? place : std::string(dimension.symbol);
      known.insert(place);
      const bool is_new = known.insert(name).second || name == place;
      if (is_new && is_open(dimension)) open.push_back(name);
    }
  }
  for (const auto& [key, extent] : options_.dims) {
    if (!known.contains(key)) refuse_unknown(key, open);
  }
}

void DimensionBinding::require_all_used() const {
  for (const auto& [key, extent] : options_.dims) {
    if (used_.contains(key)) continue;
    std::vector<std::string> names;
    for (const auto& [symbol, bound] : symbols_) names.push_back(symbol);
    refuse_unknown(key, names);
  }
}

}  // namespace rooflab::onnx
