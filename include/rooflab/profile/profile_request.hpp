#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/record/step_part.hpp"

/// What the injected library is asked to collect. Standard library only: it is compiled into that
/// library too.
namespace rooflab::profile {

enum class ProfileMode : std::uint8_t {
  trace,    ///< times of kernels and copies
  totals,   ///< and hardware counters of whole steps
  kernels,  ///< and of every kernel of a step
  sample,   ///< hardware counters of the device over time
};
constexpr auto names_in_order(For<ProfileMode>) {
  return names_through<ProfileMode::sample>("trace", "totals", "kernels", "sample");
}

using record::StepPart;

/// When anything is collected at all.
struct ProfileWindow {
  enum class Kind : std::uint8_t {
    all,       ///< whole steps
    profiler,  ///< between cudaProfilerStart and cudaProfilerStop
    nvtx,      ///< inside NVTX ranges of that name
    launches,  ///< after `skip` kernel launches, for `count` (0: to the end)
    part,      ///< a part of every step
    time,      ///< from `skip_s` after the first context on, for `length_s` (0: to the end)
  };
  Kind kind = Kind::all;
  std::string nvtx;
  std::uint64_t skip = 0;
  std::uint64_t count = 0;
  StepPart part = StepPart::both;
  double skip_s = 0.0;
  double length_s = 0.0;

  friend bool operator==(const ProfileWindow&, const ProfileWindow&) = default;
};
/// `all` or `step`, `forward`, `backward`, `both`, `profiler`, `nvtx:NAME`, `launches:SKIP` or
/// `launches:SKIP:COUNT`, `time:SECONDS` or `time:SECONDS:SECONDS`.
[[nodiscard]] std::optional<ProfileWindow> profile_window_from_text(std::string_view text);
[[nodiscard]] std::string text_of(const ProfileWindow& window);

/// Where a step begins.
struct StepRule {
  enum class Kind : std::uint8_t {
    automatic,  ///< where the sequence of launches repeats itself
    window,     ///< each opening of the window is one
    launches,   ///< every `count` launches
  };
  Kind kind = Kind::automatic;
  std::uint64_t count = 0;

  friend bool operator==(const StepRule&, const StepRule&) = default;
};
/// `auto`, `window`, `launches:N`.
[[nodiscard]] std::optional<StepRule> step_rule_from_text(std::string_view text);
[[nodiscard]] std::string text_of(const StepRule& rule);

/// Share of a program's time that counting may take where it has no steps, 0 to 1. 0: not counted.
struct Overhead {
  double share = 0.2;

  friend bool operator==(const Overhead&, const Overhead&) = default;
};
/// `20%` or `0.2`.
[[nodiscard]] std::optional<Overhead> overhead_from_text(std::string_view text);
/// `20%`.
[[nodiscard]] std::string text_of(const Overhead& overhead);

struct ProfileRequest {
  std::string folder;  ///< absolute folder of the profile files
  ProfileMode mode = ProfileMode::kernels;
  ProfileWindow window;
  StepRule step;
  bool counters = true;                  ///< false: steps have times alone
  std::string cupti;                     ///< path of libcupti for programs that have none loaded
  std::uint64_t limit = 5'000'000;       ///< kernels traced at most
  std::int64_t interval_ns = 1'000'000;  ///< length of a sample
  Overhead overhead;

  friend bool operator==(const ProfileRequest&, const ProfileRequest&) = default;
};

/// The environment variable that carries it: lines of `key=value`.
inline constexpr const char* profile_variable = "ROOFLAB_PROFILE";
[[nodiscard]] std::string text_of(const ProfileRequest& request);
/// nullopt when a line is not what text_of writes, or the folder is missing.
[[nodiscard]] std::optional<ProfileRequest> profile_request_from_text(std::string_view text);

}  // namespace rooflab::profile
