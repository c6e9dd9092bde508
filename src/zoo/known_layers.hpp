#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layer_text.hpp"
#include "rooflab/graph/graph_builder.hpp"

/// The layers that a user may write, alone or in chains.
namespace rooflab::zoo {

/// Input of a layer's builder. Its checks throw Error (usage).
struct LayerRequest {
  graph::GraphBuilder& b;
  const LayerArguments& arguments;
  const graph::Shape& input;
  std::string_view name;                ///< name of the layer's form
  std::string_view leaf;                ///< name of its node; parameters are `leaf.weight`, ...
  std::optional<graph::ValueId> given;  ///< operand; nullopt: an input of the network

  [[noreturn]] void misfit(std::string_view why) const;
  void need_rank(std::size_t least, std::string_view form) const;
  void need_extent(std::size_t axis, std::int64_t wanted, std::string_view argument) const;
  /// Accepts the argument `inplace`, which users copy from networks, if it is false; throws
  /// otherwise.
  void need_not_in_place() const;
  [[nodiscard]] graph::ValueId x() const { return operand("input"); }
  [[nodiscard]] graph::ValueId operand(std::string_view operand_name) const;
  [[nodiscard]] std::string parameter_name(std::string_view parameter) const;
};

struct Layer {
  LayerForm form;
  std::function<graph::ValueId(const LayerRequest&)> add;
};

[[nodiscard]] const std::vector<Layer>& layers();
/// Finds a layer by its name in any spelling. Throws Error (usage) with all layers as a hint.
[[nodiscard]] const Layer& find_layer(std::string_view name);

/// A parsed layer of the user: `conv2d(3,128,k=3,p=1)`.
class WrittenLayer {
 public:
  /// Parses a layer. Throws Error (usage) for an unknown layer or argument.
  explicit WrittenLayer(std::string_view text);

  [[nodiscard]] const std::string& text() const { return text_; }
  /// Adds the layer to a network as the node `leaf`, with operands of shape `input`: `given`, or
  /// new inputs of the network. Throws Error (usage) where it does not fit.
  graph::ValueId add_to(graph::GraphBuilder& builder, std::string_view leaf,
                        const graph::Shape& input,
                        std::optional<graph::ValueId> given = std::nullopt) const;

 private:
  std::string text_;
  const Layer* layer_;
  LayerArguments arguments_;
};

}  // namespace rooflab::zoo
