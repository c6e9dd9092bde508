#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::engine {

/// How long and how closely a case is measured.
struct MeasureSettings {
  int iterations = 10;         ///< timed steps at least
  double min_time_s = 1.0;     ///< timed steps take at least this long
  double max_time_s = 60.0;    ///< then stop, even with fewer than `iterations` (but at least one)
  double warmup_time_s = 5.0;  ///< longest wait for stable times
  double host_time_s = 0.0;    ///< then measure the host's issue costs for so long; 0: do not
  bool per_layer = false;      ///< also time single layers
  bool counters = false;       ///< also count every kernel in the hardware
  int threads = 0;             ///< threads of the framework; 0: its default
  std::uint64_t seed = 0;      ///< seed of weights, data and dropout
  bool cudnn_benchmark = false;  ///< let cuDNN try its algorithms
  double sample_period_s = 0.1;  ///< period of the monitor; 0: no samples
  int data_workers = 2;          ///< decoding threads
  /// Device memory that the process may take, its context included; 0: no limit. Beyond it the case
  /// ends as `oom`. On a CPU the case is `unsupported`.
  std::int64_t memory_limit_bytes = 0;
};

/// Place of a value's bytes: in a file that the worker maps. Dense, little-endian, in the
/// value's own type and C order.
struct ValueSource {
  std::filesystem::path file;
  std::int64_t offset = 0;
};

/// Origin of the worker's values.
enum class WeightSource : std::uint8_t {
  random,   ///< the framework's usual initialisation
  formula,  ///< from a formula of name and index (docs/formats/worker.md): the same everywhere
  file,     ///< `values` says where; every parameter must be there
  he,       ///< like `random`, but convolutions as in torchvision's networks: normal, by fan out
};
constexpr auto names_in_order(For<WeightSource>) {
  return names_through<WeightSource::he>("random", "formula", "file", "he");
}

/// The request to a worker. The network is in fp32 form (its own form for ONNX).
struct Case {
  record::CaseIdentity identity;  ///< `identity.graph` is filled where it is written
  graph::Graph graph;
  MeasureSettings settings;
  WeightSource weights = WeightSource::random;
  std::map<std::string, ValueSource> values;  ///< places by value name, for WeightSource::file
  /// The same for data without a file; run_case writes one for the worker.
  std::map<std::string, std::string> bytes;
  std::optional<std::filesystem::path> outputs;  ///< write the outputs of one step there (tests)
};

/// The case file, described in docs/formats/worker.md.
[[nodiscard]] std::span<const Field> fields_of(For<MeasureSettings>);
[[nodiscard]] std::span<const Field> fields_of(For<ValueSource>);
[[nodiscard]] std::span<const Field> fields_of(For<Case>);
[[nodiscard]] FileKind file_kind_of(For<Case>);

}  // namespace rooflab::engine
