#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {

inline constexpr std::int64_t most_extent = std::int64_t{1} << 48;
inline constexpr std::int64_t most_streams = 1'000'000;
inline constexpr std::int64_t most_ranks = 1'000'000;
inline constexpr std::int64_t most_wrapped = 1'000'000;

struct TextHash {
  using is_transparent = void;  // NOLINT(readability-identifier-naming): the name is the standard's
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};
template <class Value>
using ByText = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

/// A recording that grows with its lines.
class GrowingRecording {
 public:
  explicit GrowingRecording(std::string file) { made.file = std::move(file); }

  void add(Layout layout, bool complex) {
    made.layouts.push_back(std::move(layout));
    complex_.push_back(complex);
  }
  void add(Storage storage) {
    made.storages.push_back(std::move(storage));
    made.born.push_back(made.ops.size());
    freed_.push_back(false);
  }
  void add(Tensor tensor) {
    if (complex_[static_cast<std::size_t>(tensor.layout)]) tensor.offset *= 2;
    made.tensors.push_back(tensor);
  }
  void add(Op op, int line) {
    op.place = static_cast<std::int32_t>(made.places.size()) - 1;
    op.line = line;
    made.ops.push_back(std::move(op));
  }
  void add_free(std::int32_t storage) {
    freed_[static_cast<std::size_t>(storage)] = true;
    made.frees.push_back({made.ops.size(), storage});
  }
  void go_to(const Place& place) {
    if (made.places.back() != place) made.places.push_back(place);
  }
  std::int32_t number_of_op(std::string_view name) {
    const auto known = op_names_.find(name);
    if (known != op_names_.end()) return static_cast<std::int32_t>(known->second);
    op_names_.emplace(name, made.op_names.size());
    made.op_names.emplace_back(name);
    return static_cast<std::int32_t>(made.op_names.size()) - 1;
  }

  [[nodiscard]] bool is_freed(std::int64_t storage) const {
    return freed_[static_cast<std::size_t>(storage)];
  }

  Recording made;
  std::size_t storage_lines = 0;
  std::size_t free_lines = 0;

 private:
  ByText<std::size_t> op_names_;
  std::vector<bool> freed_;    ///< index: storage
  std::vector<bool> complex_;  ///< index: layout; the innermost extent has the parts of a number
};

}  // namespace rooflab::recording
