#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rooflab/record/trace.hpp"

/// What the traces of each tool can tell. Whoever reads a trace asks these facts, not which tool
/// made it. A fact says what the tool records where it is asked to: a trace of it may still lack
/// that.
namespace rooflab::record {

/// Tool that recorded a trace.
enum class TraceSource : std::uint8_t { pytorch, cupti, nsight_systems };

struct TraceSourceFacts {
  std::string_view name;  ///< the name in Trace::profiler

  // What a trace can have.
  bool processes = false;    ///< the process of each event: one file may hold several ranks
  bool host_events = false;  ///< everything that the host does: ops, data loaders, optimizers
  bool calls = false;        ///< calls of the CUDA runtime and driver
  bool shapes = false;       ///< shapes and types of the arguments of ops
  bool memory = false;       ///< changes of the framework's allocator

  // How a trace is to be understood.
  /// Ranges are the program's own words: a word for a step marks one, and no range is an op.
  bool program_ranges = false;
  /// The recording begins with the program, and so includes its set-up.
  bool from_start = false;
  bool any_program = false;  ///< not only programs of PyTorch
  bool plugin = false;       ///< PyTorch's former TensorBoard plugin reads these traces, too
  bool ours = false;         ///< Rooflab made it, and can collect counters in the same way
};

inline constexpr std::array trace_source_facts = std::to_array<TraceSourceFacts>({
    {.name = "PyTorch profiler (kineto)",
     .processes = true,
     .host_events = true,
     .calls = true,
     .shapes = true,
     .memory = true,
     .plugin = true},
    {.name = "CUPTI activity", .processes = true, .ours = true},
    {.name = "Nsight Systems",
     .processes = true,
     .calls = true,
     .program_ranges = true,
     .from_start = true,
     .any_program = true},
});
static_assert(trace_source_facts.size() ==
              static_cast<std::size_t>(TraceSource::nsight_systems) + 1);

[[nodiscard]] constexpr std::string_view name_of(TraceSource source) {
  return trace_source_facts.at(static_cast<std::size_t>(source)).name;
}

/// Facts of the tool that made a trace. A tool that is not known counts as PyTorch's profiler,
/// whose form its traces have.
[[nodiscard]] constexpr const TraceSourceFacts& facts_of(const Trace& trace) {
  const auto* const known =
      std::ranges::find(trace_source_facts, trace.profiler, &TraceSourceFacts::name);
  return known == trace_source_facts.end() ? trace_source_facts.front() : *known;
}

}  // namespace rooflab::record
