#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/graph/graph.hpp"

/// Known networks, built from nothing but a name.
///
/// Every network is the one that torchvision 0.19 defines: the same modules, parameter names
/// (`layer1.0.conv1.weight`), order of execution, in-place flags and functional ops, so that
/// counts, memory and names in a profile of the framework can be compared line by line.
namespace rooflab::zoo {

/// A named difference from the network as published.
struct VariantInfo {
  std::string name;         ///< `aux`, `cifar`
  std::string description;  ///< one sentence
};
[[nodiscard]] std::span<const Field> fields_of(For<VariantInfo>);

struct ModelInfo {
  std::string name;             ///< `resnet18`, as torchvision spells it
  std::string family;           ///< `resnet`
  std::int64_t input_size = 0;  ///< pixels: height and width that its default weights expect
  std::vector<VariantInfo> variants;
};
[[nodiscard]] std::span<const Field> fields_of(For<ModelInfo>);

/// All networks, sorted by family, then by number of parameters.
[[nodiscard]] const std::vector<ModelInfo>& models();

/// The network of that name; nullptr for an unknown name. Lives as long as the program.
[[nodiscard]] const ModelInfo* find(std::string_view name);

struct BuildOptions {
  std::int64_t batch = 1;
  std::optional<std::int64_t> image_size = {};  ///< pixels; by default the variant's or model's own
  std::int64_t classes = 1000;                  ///< outputs of every classifier
  std::string variant = {};                     ///< empty: as published
};

/// The network for one input `input` [batch, 3, size, size] in fp32, in training order: auxiliary
/// classifiers are present as Node::training_only.
///
/// Throws Error (usage) for an unknown model or variant, for batch or classes below 1 and for an
/// image that the network cannot process.
///
///     graph::Graph g = zoo::build("resnet18", {.batch = 256});
[[nodiscard]] graph::Graph build(const std::string& name, const BuildOptions& options = {});

}  // namespace rooflab::zoo
