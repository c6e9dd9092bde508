#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab::zoo {

/// An argument that a layer takes.
struct LayerArgument {
  std::string_view name;        ///< name in PyTorch: `kernel_size`
  std::string_view short_name;  ///< `k`; empty: none
  std::string_view fallback;    ///< text of the default; empty: required
};

/// A layer's name with its arguments, in PyTorch's order.
struct LayerForm {
  std::string_view name;
  std::vector<LayerArgument> arguments;

  /// Text such as `conv2d(in_channels, out_channels, kernel_size, stride=1, ...)`.
  [[nodiscard]] std::string to_string() const;
};

/// Reads the given arguments in the types that the layer needs. Every function throws Error (usage)
/// that names the argument.
class LayerArguments {
 public:
  /// Takes the `text` between the parentheses.
  LayerArguments(const LayerForm& form, std::string_view text);

  [[nodiscard]] bool given(std::string_view name) const;  ///< whether the user wrote it
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t least) const;
  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name) const;
  /// Extents of an argument: `3` for all of `rank` dimensions, or one per dimension: `3x1`, or as
  /// in PyTorch `(3,1)`.
  [[nodiscard]] std::vector<std::int64_t> extents(std::string_view name, std::size_t rank,
                                                  std::int64_t least) const;
  [[noreturn]] void fail(std::string_view name, std::string_view wanted) const;

 private:
  void put(const LayerArgument& argument, std::string_view value);
  [[nodiscard]] const LayerArgument* find(std::string_view name) const;

  const LayerForm& form_;
  std::map<std::string_view, std::string> values_;
};

}  // namespace rooflab::zoo
