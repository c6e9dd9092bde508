#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/quantity.hpp"

namespace rooflab::record {

/// Origin of a kernel: its launch, or its capture into a CUDA graph.
struct ToldLaunch {
  std::int32_t recording = -1;  ///< in ToldOps::recordings; -1: none
  std::int64_t call = -1;       ///< number of the op in that recording; -1: no op launched it
  std::int32_t range = -1;      ///< NVTX ranges around it, in ToldOps::ranges; -1: none known
  std::int64_t replay = 0;      ///< launch of the graph that contains it; 0: not in a graph

  friend bool operator==(const ToldLaunch&, const ToldLaunch&) = default;
};

/// Separator between the names of nested ranges.
inline constexpr std::string_view range_separator = " > ";

/// The ops of a program that launched its kernels, as the program reported them.
struct ToldOps {
  std::vector<std::string> recordings = {};  ///< paths of files with ops
  std::vector<std::string> ranges = {};   ///< names of ranges, outer ones first: `decode > layer 3`
  std::vector<ToldLaunch> launches = {};  ///< index: kernel
  /// Whether no step is known and the ops cover a part of the run, whose kernels have a recording.
  bool part_of_run = false;
};

/// Calls of one op of the framework in one module, which launched kernels of a step. Its work is
/// modelled from the shapes of its tensors; the time is the sum over its kernels.
struct ModelledOp {
  std::string op = {};            ///< `aten.addmm`
  std::string pass = {};          ///< `forward`, `backward`, `optimizer`, `other`; may be empty
  std::string module = {};        ///< `encoder.layer.3.output.dense`; may be empty
  std::string module_class = {};  ///< `Linear`; may be empty
  std::int64_t calls = 0;
  std::int64_t launches = 0;
  std::optional<double> time_s = {};  ///< nullopt: a kernel has no time
  std::optional<double> flops = {};   ///< nullopt: a call has no rule
  std::optional<double> bytes = {};   ///< compulsory; nullopt: a call has no rule
  /// FLOPs that counters measured for these kernels; nullopt: not counted in full.
  std::optional<double> counted_flops = {};
  std::optional<double> counted_bytes = {};
  std::optional<ArithmeticPath> path = {};  ///< path of most of its work, on the device that ran it
};

/// The ops of one step, or of a part of the run where no step is known.
struct ModelledStep {
  std::vector<ModelledOp> ops = {};
  std::int64_t launches = 0;          ///< all kernels, including those without an op
  std::optional<double> time_s = {};  ///< time of all kernels
  bool part_of_run = false;
};

[[nodiscard]] std::span<const Field> fields_of(For<ModelledOp>);
[[nodiscard]] std::span<const Field> fields_of(For<ModelledStep>);

}  // namespace rooflab::record
