#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "rooflab/graph/graph.hpp"

namespace rooflab::recording {

/// The linear layers of a step by their module and extents: rows, inputs, outputs.
class LinearNodes {
 public:
  using Extents = std::array<std::int64_t, 3>;

  void remember(std::int32_t module, Extents extents, graph::NodeId node) {
    of_modules_[{module, extents}] = node;
    of_all_[extents] = node;
  }
  /// The last layer of the module with these extents, else that of any module.
  [[nodiscard]] std::optional<graph::NodeId> find(std::int32_t module, Extents extents) const {
    const auto own = of_modules_.find({module, extents});
    if (own != of_modules_.end()) return own->second;
    const auto other = of_all_.find(extents);
    return other == of_all_.end() ? std::nullopt : std::optional(other->second);
  }

 private:
  std::map<std::pair<std::int32_t, Extents>, graph::NodeId> of_modules_;
  std::map<Extents, graph::NodeId> of_all_;
};

}  // namespace rooflab::recording
