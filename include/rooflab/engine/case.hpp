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

/// Settings for measuring a case: durations and what to record.
struct MeasureSettings {
  int iterations = 10;         ///< smallest number of timed steps
  double min_time_s = 1.0;     ///< timed steps take at least this long
  double max_time_s = 60.0;    ///< then stop, even with fewer than `iterations` (but at least one)
  double warmup_time_s = 5.0;  ///< longest wait for stable times
  double host_time_s = 0.0;    ///< then time the host's issue costs, this long; 0: do not
  bool per_layer = false;      ///< also time single layers
  bool counters = false;       ///< also count every kernel in the hardware
  int threads = 0;             ///< threads of the framework; 0: its default
  std::uint64_t seed = 0;      ///< seed of weights, data and dropout
  bool cudnn_benchmark = false;  ///< let cuDNN try its algorithms
  double sample_period_s = 0.1;  ///< period of the monitor; 0: no samples
  int data_workers = 2;          ///< decoding threads
  /// Limit of the process's device memory, including its context; 0: no limit. A case that exceeds
  /// it ends as `oom`. On a CPU a case with a limit is `unsupported`.
  std::int64_t memory_limit_bytes = 0;
};

/// Place of a value's bytes in a file that the worker maps. They are dense, little-endian, in the
/// value's own type and C order.
struct ValueSource {
  std::filesystem::path file = {};
  std::int64_t offset = 0;
};

/// Origin of the worker's values.
enum class WeightSource : std::uint8_t {
  random,   ///< the framework's usual initialisation
  formula,  ///< from a formula of name and index (docs/formats/worker.md): equal everywhere
  file,     ///< at the places in `values`; every parameter must be there
  he,       ///< like `random`, but convolutions as in torchvision's networks: normal, by fan out
};
constexpr auto names_in_order(For<WeightSource>) {
  return names_through<WeightSource::he>("random", "formula", "file", "he");
}

/// The request to a worker. The network is in fp32 form (its own form for ONNX).
struct Case {
  record::CaseIdentity identity = {};  ///< `identity.graph` is filled when the case is written
  graph::Graph graph = {};
  MeasureSettings settings = {};
  WeightSource weights = WeightSource::random;
  std::map<std::string, ValueSource> values = {};  ///< places by value name, for WeightSource::file
  /// Bytes of values without a file, by value name; run_case() writes a file for the worker.
  std::map<std::string, std::string> bytes = {};
  /// The file that the network was read from, an absolute path; nullopt: it was built in. The graph
  /// may differ from it in its batch.
  std::optional<std::filesystem::path> source_file = {};
  /// Write the outputs of one step there (tests)
  std::optional<std::filesystem::path> outputs = {};
};

/// Fields of the case file, described in docs/formats/worker.md.
[[nodiscard]] std::span<const Field> fields_of(For<MeasureSettings>);
[[nodiscard]] std::span<const Field> fields_of(For<ValueSource>);
[[nodiscard]] std::span<const Field> fields_of(For<Case>);
[[nodiscard]] FileKind file_kind_of(For<Case>);

}  // namespace rooflab::engine
