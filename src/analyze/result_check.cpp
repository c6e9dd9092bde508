#include "result_check.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"

namespace rooflab::analyze {
namespace {

using Contradiction = std::optional<std::string>;

/// Rounding of files and of sums.
constexpr double tolerance = 1e-6;

bool equal(double a, double b) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

/// `complete`: all parts of the total are there; files of before version 0.2 lack the pauses.
Contradiction sum(std::string_view what, double parts, double total, bool complete) {
  const bool holds = complete ? equal(parts, total) : parts <= total * (1.0 + tolerance);
  if (holds) return std::nullopt;
  return format("{} make {}, the device's time is {}", what, si(parts, "s"), si(total, "s"));
}

Contradiction in_times(const CaseResult& result) {
  if (!result.has_interval()) return std::nullopt;
  const predict::StepTime& step = *result.prediction;
  const double time_s = step.time.value;
  if (step.low.value > time_s * (1.0 + tolerance) || time_s > step.high.value * (1.0 + tolerance)) {
    return format("the time {} is not within its interval, {} to {}", si(time_s, "s"),
                  si(step.low.value, "s"), si(step.high.value, "s"));
  }
  if (!step.kinds.empty()) {
    double kinds_s = 0.0;
    double share = 0.0;
    bool complete = false;
    for (const predict::KindShare& kind : step.kinds) {
      kinds_s += kind.time_s;
      share += kind.share;
      complete = complete || kind.kind == predict::gaps_kind;
    }
    if (auto wrong = sum("kinds of ops", kinds_s, step.device.value, complete)) return wrong;
    if (share > 1.0 + tolerance) return format("shares of kinds make {:.4f}", share);
  }
  double layers_s = 0.0;
  bool complete = false;
  for (const LayerRow& row : result.layers) {
    if (row.predicted) layers_s += row.predicted->value;
    complete = complete || row.name == gaps_row;
  }
  return sum("layers", layers_s, step.device.value, complete);
}

Contradiction in_memory(const CaseResult& result) {
  const predict::MemoryEstimate& memory = result.memory;
  const Bytes none;
  const Bytes parts =
      memory.reserved + memory.context.value_or(none) + memory.communication_buffers.value_or(none);
  if (memory.total != parts) {
    return format("the memory is {} B, its parts make {} B", memory.total.value(), parts.value());
  }
  if (memory.least_total > memory.total) return "the least memory is more than the expected";
  if (memory.most_total < memory.total) return "the most memory is less than the expected";
  if (!result.fit) return std::nullopt;
  // Files of before version 0.2 have `risky` where what is there at once is up to 5 % too much.
  const std::optional<predict::Fit> now = predict::fit(memory, result.device);
  const bool firm = result.fit->verdict <= predict::Verdict::likely;
  if (!now || !firm || result.fit->verdict >= now->verdict) return std::nullopt;
  return format("the verdict is '{}', its bytes say '{}'", name_of(result.fit->verdict),
                name_of(now->verdict));
}

}  // namespace

Contradiction contradiction_in(const CaseResult& result) {
  if (auto wrong = in_times(result)) return wrong;
  return in_memory(result);
}

}  // namespace rooflab::analyze
