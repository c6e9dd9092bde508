#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "appended_lines.hpp"
#include "counted_unit.hpp"
#include "rooflab/base/collective.hpp"
#include "rooflab/record/hardware_samples.hpp"

/// Uses only the standard library and POSIX, because it is part of the injected library too.
namespace rooflab::profile {

/// The first line of a profile: process, place and settings.
struct ProfileHead {
  std::int64_t pid = 0;
  std::string host;                  ///< name of the machine
  std::vector<std::string> command;  ///< the program's command line
  std::string executable;            ///< file of the program
  std::optional<int> rank;
  std::optional<int> world_size;
  std::int64_t unix_ns = 0;   ///< Unix time at the moment of clock_ns
  std::int64_t clock_ns = 0;  ///< the clock of all other times, at that moment
  std::string mode;           ///< `trace`, `totals`, `kernels`, `sample`
  std::string window;         ///< profiled part of the program, as the user gave it
  std::string step;           ///< definition of a step, as the user gave it
  bool counters = true;       ///< false: the user disabled them
  std::string cupti;          ///< version: `13.0`
  std::string cupti_path;
};

/// A device; unknown members are empty or nullopt.
struct ProfileDevice {
  int index = 0;  ///< CUDA's ordinal
  std::string name;
  std::string uuid;
  std::string chip;                ///< CUPTI's name: `GH100`
  std::string compute_capability;  ///< `9.0`
  std::optional<int> multiprocessors;
  std::optional<std::int64_t> memory_bytes;
  std::string driver;
};

/// A launch signature: kernels with equal signatures share a number.
struct ProfileKernel {
  std::string_view name;  ///< mangled
  std::array<std::uint32_t, 3> grid = {};
  std::array<std::uint32_t, 3> block = {};
  std::uint64_t dynamic_bytes = 0;           ///< shared memory per block requested by the launch
  std::optional<std::int64_t> registers;     ///< per thread
  std::optional<std::int64_t> shared_bytes;  ///< per block, static and dynamic
};

/// A message that the program passed to NCCL.
struct ProfileMessage {
  Collective collective = Collective::all_reduce;
  std::int64_t elements = 0;  ///< the larger of one rank's input and output
  std::string_view type;      ///< `Float`, `BFloat16`; empty: not known
  int ranks = 0;              ///< 0: not known
};

/// Writes the facts about one process, one JSON value per line, as docs/formats/profile.md
/// describes. The file is only appended to. Whole lines are passed to the system, about 64 KiB at a
/// time or by flush(); passed lines survive the process, even if it is killed. What holds for
/// AppendedLines holds here: several threads may call, nothing is thrown.
class ProfileWriter {
 public:
  explicit ProfileWriter(const std::string& path) noexcept : lines_(path) {}

  void head(const ProfileHead& head) noexcept;  ///< must be the first line
  void device(const ProfileDevice& device) noexcept;
  /// Writes a signature, before the first line that uses `id`. Numbers count from 0.
  void signature(std::uint32_t id, const ProfileKernel& kernel) noexcept;

  /// Writes a kernel that ran. `node`: node of the CUDA graph that launched it; 0: none.
  void kernel(std::uint32_t id, std::int32_t device, std::int32_t stream, std::int64_t start_ns,
              std::int64_t duration_ns, std::uint32_t correlation, std::uint64_t node) noexcept;
  void copy(bool fill, std::uint8_t direction, std::int32_t device, std::int32_t stream,
            std::int64_t start_ns, std::int64_t duration_ns, std::int64_t bytes,
            std::uint32_t correlation) noexcept;

  /// Writes the time `ns` of `steps` consecutive steps without counters; the device was idle at
  /// both ends.
  void timed_steps(std::int64_t steps, std::int64_t ns) noexcept;
  /// Writes that a traced step begins with the launch of this correlation.
  void step_begin(std::int64_t launch, std::int64_t ns) noexcept;
  /// Writes that the traced step broke off and has no time.
  void step_broke(std::int64_t ns) noexcept;
  /// Writes the signatures of a step's launches.
  void sequence(std::span<const std::uint32_t> launches) noexcept;
  /// Writes the name of a recording with ops, in the profile's folder. Recordings count from 0.
  void ops_in(std::string_view recording) noexcept;
  /// Writes a launch of the op with this number in the last recording; -1: no op.
  void op_launch(std::uint32_t id, std::int64_t op, std::uint32_t correlation) noexcept;
  /// Writes the names of nested NVTX ranges. They count from 0.
  void range(std::string_view names) noexcept;
  /// Writes a node of a CUDA graph: the op that made it, its recording, and the ranges around it;
  /// -1: not known.
  void node(std::uint64_t id, std::int32_t recording, std::int64_t op, std::int32_t range) noexcept;
  /// Writes the metrics of a set; if repeated, the set is counted again.
  void set(std::size_t index, CountedUnit unit, std::span<const std::string> metrics) noexcept;
  /// Writes the values of one launch of a counted step; NaN: no value.
  void values(std::size_t set, std::size_t ordinal, std::uint32_t id,
              std::span<const double> values) noexcept;
  /// Writes the values of a whole counted step.
  void totals(std::size_t set, std::span<const double> values) noexcept;
  /// Writes the end of a set. `passes`: steps that it needed. `arming_ns`: time to program the
  /// hardware before the first of them; `wall_ns`: from there to the last value.
  void set_done(std::size_t set, int passes, std::int64_t arming_ns, std::int64_t wall_ns,
                std::int64_t launches, std::int64_t dropped) noexcept;
  /// Writes the times of all sets together, see set_done().
  void counting_wall(std::int64_t wall_ns, std::int64_t arming_ns) noexcept;
  void peaks(std::span<const std::pair<std::string, double>> peaks) noexcept;

  /// Writes a message, or a further one, of the kernel launched with this correlation.
  void message(std::uint32_t launch, const ProfileMessage& message) noexcept;

  /// Writes an interval without records of kernels and copies, because launches were counted.
  void untraced(std::int64_t start_ns, std::int64_t end_ns) noexcept;
  /// Writes the values of one launch outside of steps; NaN: no value.
  void launch_values(std::size_t set, std::uint32_t id, std::span<const double> values) noexcept;
  /// Writes the number of launches of each signature so far. The program has run for `elapsed_ns`,
  /// including `counting_ns` of delay by counting.
  void launched(std::span<const std::uint64_t> launches, std::int64_t elapsed_ns,
                std::int64_t counting_ns) noexcept;

  /// Writes the metrics of a device's samples, before the first sample.
  void sampling(int device, std::span<const std::string> metrics,
                std::int64_t interval_ns) noexcept;
  /// Writes a sample with times by the device's clock; NaN: no value.
  void sample(std::int64_t start_ns, std::int64_t end_ns, std::span<const double> values) noexcept;
  /// Writes the end of a window of samples that was open for `ns`.
  void sampling_window(std::int64_t ns) noexcept;
  /// Writes NVML's GPM figures of the last window.
  void gpm(const record::GpmShares& shares) noexcept;

  void warning(std::string_view text, std::string_view hint = {}) noexcept;
  void lost(std::string_view what, std::int64_t count) noexcept;
  /// Writes the last line. `how`: `exit`, `window` or `signal`; `kernels`: total number seen.
  void end(std::string_view how, std::int64_t kernels) noexcept;

  void flush() noexcept { lines_.flush(); }
  bool try_flush() noexcept { return lines_.try_flush(); }
  [[nodiscard]] bool ok() const noexcept { return lines_.ok(); }
  [[nodiscard]] std::string error() const { return lines_.error(); }

 private:
  AppendedLines lines_;
};

}  // namespace rooflab::profile
