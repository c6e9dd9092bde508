#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model_view.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

namespace rooflab::onnx {

/// Extents for the dimensions that a file leaves open.
///
/// A symbol is looked up in `dims`, then, as dimension 0 of an input, it is `batch`, or 1 with a
/// note. The first binding holds for the symbol everywhere.
class DimensionBinding {
 public:
  explicit DimensionBinding(const ImportOptions& options) : options_(options) {}

  /// Type of an input with all extents bound; throws Error (input) with the `--dim` to give.
  [[nodiscard]] graph::TensorType bind_input(const ValueInfoView& input);

  /// Type of an intermediate value, nullopt when a dimension is not bound or the shape is missing.
  [[nodiscard]] std::optional<graph::TensorType> resolve(const TypeView& type) const;

  /// Whether a declared type differs from the type that nodes make, in its element type, rank or
  /// fixed extents. Always false where the options change an extent that the file fixes.
  [[nodiscard]] bool contradicts(const TypeView& declared, const graph::TensorType& made) const;

  /// Throws Error (usage) for a key of the options that none of these inputs have.
  void require_known(const std::vector<const ValueInfoView*>& inputs) const;

  /// Throws Error (usage) for a key of the options that no input had.
  void require_all_used() const;

  [[nodiscard]] const std::vector<Note>& notes() const { return notes_; }

 private:
  [[nodiscard]] std::int64_t bind(const ValueInfoView& input, std::size_t axis);

  const ImportOptions& options_;
  std::map<std::string, std::int64_t, std::less<>> symbols_;
  std::set<std::string> used_;
  std::vector<Note> notes_;
  std::size_t inputs_ = 0;        ///< number of inputs bound so far
  bool fixed_otherwise_ = false;  ///< an extent that the file fixes was changed
};

}  // namespace rooflab::onnx
