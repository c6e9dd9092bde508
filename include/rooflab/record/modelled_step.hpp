#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/precision.hpp"

namespace rooflab::record {

/// Which op of a program launched the kernels of its step, as the program told it.
struct ToldOps {
  std::string recording;            ///< path of the file with the ops
  std::vector<std::int64_t> calls;  ///< index: kernel; number of the op in the recording, -1: none
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

/// The ops of one step.
struct ModelledStep {
  std::vector<ModelledOp> ops;
  std::int64_t launches = 0;     ///< all kernels of the step, those without an op too
  std::optional<double> time_s;  ///< time of all kernels
};

[[nodiscard]] std::span<const Field> fields_of(For<ModelledOp>);
[[nodiscard]] std::span<const Field> fields_of(For<ModelledStep>);

}  // namespace rooflab::record
