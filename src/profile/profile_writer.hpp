#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "counted_unit.hpp"
#include "rooflab/base/collective.hpp"
#include "rooflab/record/hardware_samples.hpp"

/// Standard library and POSIX only: this is part of the injected library too.
namespace rooflab::profile {

/// The first line of a profile: process, place and settings.
struct ProfileHead {
  std::int64_t pid = 0;
  std::string host;                  ///< name of the machine
  std::vector<std::string> command;  ///< the program's command line
  std::string executable;            ///< its file
  std::optional<int> rank;
  std::optional<int> world_size;
  std::int64_t unix_ns = 0;   ///< Unix time, and at the same moment
  std::int64_t clock_ns = 0;  ///< the clock of all other times
  std::string mode;           ///< `trace`, `totals`, `kernels`, `sample`
  std::string window;         ///< what is profiled of the program, as the user said it
  std::string step;           ///< what a step is, as the user said it
  bool counters = true;       ///< false: the user wanted none
  std::string cupti;          ///< version: `13.0`
  std::string cupti_path;
};

/// What is not known is empty or nullopt.
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

/// A launch signature: kernels with the same one have one number.
struct ProfileKernel {
  std::string_view name;  ///< mangled
  std::array<std::uint32_t, 3> grid = {};
  std::array<std::uint32_t, 3> block = {};
  std::uint64_t dynamic_bytes = 0;           ///< shared memory of a block that the launch asks for
  std::optional<std::int64_t> registers;     ///< a thread
  std::optional<std::int64_t> shared_bytes;  ///< a block, static and dynamic
};

/// A message that the program gave to NCCL.
struct ProfileMessage {
  Collective collective = Collective::all_reduce;
  std::int64_t elements = 0;  ///< the larger of what one rank gives and gets
  std::string_view type;      ///< `Float`, `BFloat16`; empty: not known
  int ranks = 0;              ///< 0: not known
};

/// Writes what is found out about one process, fact by fact, as docs/formats/profile.md describes:
/// a line is one JSON value. The file is appended to and never rewritten, and lines are passed on
/// to the system in whole ones, about 64 KiB at a time or by flush(): what has been passed on
/// survives the process, however it ends.
///
/// May be called by several threads. Never throws: where the file cannot be opened or written, or
/// memory is short, it falls silent and ok() is false. A fork has nothing to write: its copy is
/// silent, too.
class ProfileWriter {
 public:
  /// Appends to `path`, which is made if it is not there.
  explicit ProfileWriter(const std::string& path) noexcept;
  ~ProfileWriter();  ///< flushes
  ProfileWriter(const ProfileWriter&) = delete;
  ProfileWriter& operator=(const ProfileWriter&) = delete;

  void head(const ProfileHead& head) noexcept;  ///< first of all
  void device(const ProfileDevice& device) noexcept;
  /// Before the first line that uses `id`. Numbers count from 0.
  void signature(std::uint32_t id, const ProfileKernel& kernel) noexcept;

  /// `node`: of the CUDA graph that launched it; 0: none.
  void kernel(std::uint32_t id, std::int32_t device, std::int32_t stream, std::int64_t start_ns,
              std::int64_t duration_ns, std::uint32_t correlation, std::uint64_t node) noexcept;
  void copy(bool fill, std::uint8_t direction, std::int32_t device, std::int32_t stream,
            std::int64_t start_ns, std::int64_t duration_ns, std::int64_t bytes,
            std::uint32_t correlation) noexcept;

  /// `steps` steps without counters, one after the other, took `ns`; the device was idle at both
  /// ends.
  void timed_steps(std::int64_t steps, std::int64_t ns) noexcept;
  /// A traced step begins with the launch of that correlation.
  void step_begin(std::int64_t launch, std::int64_t ns) noexcept;
  /// It broke off: it has no time.
  void step_broke(std::int64_t ns) noexcept;
  /// Signatures of the launches that a step is made of.
  void sequence(std::span<const std::uint32_t> launches) noexcept;
  /// A recording with ops: its name, in the profile's folder. Recordings count from 0.
  void ops_in(std::string_view recording) noexcept;
  /// A launch of the op with that number in the last recording; -1: of no op.
  void op_launch(std::uint32_t id, std::int64_t op, std::uint32_t correlation) noexcept;
  /// NVTX ranges, one inside the other. They count from 0.
  void range(std::string_view names) noexcept;
  /// A node of a CUDA graph: the op that made it, in that recording, and the ranges around it; -1:
  /// not known.
  void node(std::uint64_t id, std::int32_t recording, std::int64_t op, std::int32_t range) noexcept;
  /// Metrics that are counted together; if repeated, the set is counted again.
  void set(std::size_t index, CountedUnit unit, std::span<const std::string> metrics) noexcept;
  /// Values of one launch of a counted step; NaN: no value.
  void values(std::size_t set, std::size_t ordinal, std::uint32_t id,
              std::span<const double> values) noexcept;
  /// Values of a whole counted step.
  void totals(std::size_t set, std::span<const double> values) noexcept;
  /// `passes`: steps that it took. `arming_ns`: programming the hardware before the first of them;
  /// `wall_ns`: from there to the last value.
  void set_done(std::size_t set, int passes, std::int64_t arming_ns, std::int64_t wall_ns,
                std::int64_t launches, std::int64_t dropped) noexcept;
  /// The same of all sets.
  void counting_wall(std::int64_t wall_ns, std::int64_t arming_ns) noexcept;
  void peaks(std::span<const std::pair<std::string, double>> peaks) noexcept;

  /// The kernel that was launched with that correlation sends a message, or one more.
  void message(std::uint32_t launch, const ProfileMessage& message) noexcept;

  /// No kernels and copies were recorded between the two, as launches were counted.
  void untraced(std::int64_t start_ns, std::int64_t end_ns) noexcept;
  /// Values of one launch outside of steps; NaN: no value.
  void launch_values(std::size_t set, std::uint32_t id, std::span<const double> values) noexcept;
  /// Launches of each signature until now, by its number. The program has run for `elapsed_ns`,
  /// `counting_ns` of which it was held up for counters.
  void launched(std::span<const std::uint64_t> launches, std::int64_t elapsed_ns,
                std::int64_t counting_ns) noexcept;

  /// What samples of a device tell: before the first of them.
  void sampling(int device, std::span<const std::string> metrics,
                std::int64_t interval_ns) noexcept;
  /// Times by the device's own clock; NaN: no value.
  void sample(std::int64_t start_ns, std::int64_t end_ns, std::span<const double> values) noexcept;
  /// A window of samples closed that was open for `ns`.
  void sampling_window(std::int64_t ns) noexcept;
  /// What NVML's GPM tells of the same window.
  void gpm(const record::GpmShares& shares) noexcept;

  void warning(std::string_view text, std::string_view hint = {}) noexcept;
  void lost(std::string_view what, std::int64_t count) noexcept;
  /// Last of all. `how`: `exit`, `window` or `signal`; `kernels`: seen in all.
  void end(std::string_view how, std::int64_t kernels) noexcept;

  void flush() noexcept;
  /// The same where no thread is writing right now, which a signal handler cannot wait for; false:
  /// one is.
  bool try_flush() noexcept;

  [[nodiscard]] bool ok() const noexcept { return ok_.load(std::memory_order_relaxed); }
  /// Why it is not: the system's reason. Empty while it is.
  [[nodiscard]] std::string error() const;

 private:
  class Line;

  void pass_on() noexcept;
  void fail(int system_error) noexcept;

  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  std::atomic<bool> ok_ = false;
  int system_error_ = 0;
  int file_ = -1;
  pid_t owner_ = 0;
  std::vector<char> buffer_;
  std::size_t used_ = 0;  ///< bytes used of the buffer
};

}  // namespace rooflab::profile
