#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model_view.hpp"

namespace rooflab::onnx {

/// The shortest decimal that rounds to this float, as a double: the number before the file rounded
/// it. 1e-5F is 1e-5 and not 9.99999974737875e-06.
[[nodiscard]] double as_written(float value);

/// A node's attributes by name. Inside a function an attribute may refer to one of the calling node
/// (`ref_attr_name`); such references are resolved in the call's attributes, then in the function's
/// defaults.
class Attributes {
 public:
  Attributes(const NodeView& node, const Attributes* call, const FunctionView* function)
      : node_(node), call_(call), function_(function) {}

  /// Finds an attribute; nullptr when neither the node nor, for a reference, the call or the
  /// defaults have it.
  [[nodiscard]] const AttributeView* find(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }

  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
  /// Number of an attribute as a decimal, see as_written().
  [[nodiscard]] double number(std::string_view name, double otherwise) const;
  [[nodiscard]] std::string_view text(std::string_view name, std::string_view otherwise) const;
  [[nodiscard]] std::optional<std::vector<std::string_view>> texts(std::string_view name) const;
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::string_view name) const;
  [[nodiscard]] std::optional<std::vector<double>> numbers(std::string_view name) const;

 private:
  const NodeView& node_;
  const Attributes* call_;  ///< attributes of the node that calls the function around this node
  const FunctionView* function_;  ///< the function around this node
};

}  // namespace rooflab::onnx
