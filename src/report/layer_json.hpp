#pragma once

#include "rooflab/analyze/layer_table.hpp"
#include "rooflab/analyze/network_count.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::report {

/// The keys that every layer has, in `summary` and in `predict`.
[[nodiscard]] Json layer_json(const analyze::LayerRow& layer);

[[nodiscard]] Json uncounted_json(const analyze::NetworkCount& count);

[[nodiscard]] Json seconds_json(const std::optional<Seconds>& time);

}  // namespace rooflab::report
