#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/precision.hpp"

namespace rooflab::record {

/// What launched a kernel, or made it a node of a CUDA graph.
struct ToldLaunch {
  std::int32_t recording = -1;  ///< in ToldOps::recordings; -1: the program told nothing
  std::int64_t call = -1;       ///< number of the op in that recording; -1: no op launched it
  std::int32_t range = -1;      ///< NVTX ranges around it, in ToldOps::ranges; -1: none known
  std::int64_t replay = 0;      ///< launch of the graph whose node ran; 0: it ran by itself

  friend bool operator==(const ToldLaunch&, const ToldLaunch&) = default;
};

/// Between the names of ranges, one inside the other.
inline constexpr std::string_view range_separator = " > ";

/// Which ops of a program launched its kernels, as the program told it.
struct ToldOps {
  std::vector<std::string> recordings;  ///< paths of files with ops
  std::vector<std::string> ranges;      ///< names of ranges, outer ones first: `decode > layer 3`
  std::vector<ToldLaunch> launches;     ///< index: kernel
  /// No step is known: the ops were told for a part of the run, whose kernels have a recording.
  bool part_of_run = false;
};

/// Calls of one op of the framework in one module, which launched kernels of a step. Its work is
/// modelled from the shapes of its tensors; the time is that of its kernels.
struct ModelledOp {
  std::string op;            ///< `aten.addmm`
  std::string pass;          ///< `forward`, `backward`, `optimizer`, `other`; may be empty
  std::string module;        ///< `encoder.layer.3.output.dense`; may be empty
  std::string module_class;  ///< `Linear`; may be empty
  std::int64_t calls = 0;
  std::int64_t launches = 0;
  std::optional<double> time_s;  ///< nullopt: a kernel has no time
  std::optional<double> flops;   ///< nullopt: a call has no rule
  std::optional<double> bytes;   ///< compulsory; nullopt likewise
  /// What counters say of the same kernels; nullopt: not counted in full.
  std::optional<double> counted_flops;
  std::optional<double> counted_bytes;
  std::optional<ArithmeticPath> path;  ///< path of most of its work, on the device that ran it
};

/// The ops of one step, or of a part of the run where no step is known.
struct ModelledStep {
  std::vector<ModelledOp> ops;
  std::int64_t launches = 0;     ///< all kernels of it, those without an op too
  std::optional<double> time_s;  ///< time of all kernels
  bool part_of_run = false;
};

[[nodiscard]] std::span<const Field> fields_of(For<ModelledOp>);
[[nodiscard]] std::span<const Field> fields_of(For<ModelledStep>);

}  // namespace rooflab::record
