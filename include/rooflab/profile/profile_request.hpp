#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/record/step_part.hpp"

/// Request to the injected library. Uses only the standard library, because it is compiled into the
/// injected library too.
namespace rooflab::profile {

enum class ProfileMode : std::uint8_t {
  trace,    ///< times of kernels and copies
  totals,   ///< `trace`, and hardware counters of whole steps
  kernels,  ///< `totals`, and hardware counters of every kernel of a step
  sample,   ///< hardware counters of the device over time
};
constexpr auto names_in_order(For<ProfileMode>) {
  return names_through<ProfileMode::sample>("trace", "totals", "kernels", "sample");
}

using record::StepPart;

/// Part of the run in which anything is collected.
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
  std::string nvtx = {};
  std::uint64_t skip = 0;
  std::uint64_t count = 0;
  StepPart part = StepPart::both;
  double skip_s = 0.0;
  double length_s = 0.0;

  friend bool operator==(const ProfileWindow&, const ProfileWindow&) = default;
};
/// Parses `all`, `step`, `forward`, `backward`, `both`, `profiler`, `nvtx:NAME`, `launches:SKIP`,
/// `launches:SKIP:COUNT`, `time:SECONDS` or `time:SECONDS:SECONDS`.
[[nodiscard]] std::optional<ProfileWindow> profile_window_from_text(std::string_view text);
[[nodiscard]] std::string text_of(const ProfileWindow& window);

/// Rule for the beginning of a step.
struct StepRule {
  enum class Kind : std::uint8_t {
    automatic,  ///< where the sequence of launches repeats itself
    window,     ///< at each opening of the window
    launches,   ///< every `count` launches
  };
  Kind kind = Kind::automatic;
  std::uint64_t count = 0;

  friend bool operator==(const StepRule&, const StepRule&) = default;
};
/// Parses `auto`, `window` or `launches:N`.
[[nodiscard]] std::optional<StepRule> step_rule_from_text(std::string_view text);
[[nodiscard]] std::string text_of(const StepRule& rule);

/// Share of the time of a program without steps that counting may take, 0 to 1. 0: nothing is
/// counted.
struct Overhead {
  double share = 0.2;

  friend bool operator==(const Overhead&, const Overhead&) = default;
};
/// Parses `20%` or `0.2`.
[[nodiscard]] std::optional<Overhead> overhead_from_text(std::string_view text);
/// Formats a share: `20%`.
[[nodiscard]] std::string text_of(const Overhead& overhead);

struct ProfileRequest {
  std::string folder = {};  ///< absolute folder of the profile files
  ProfileMode mode = ProfileMode::kernels;
  ProfileWindow window = {};
  StepRule step = {};
  bool counters = true;                  ///< false: only times of steps
  std::string cupti = {};                ///< path of libcupti for programs that have not loaded it
  std::uint64_t limit = 5'000'000;       ///< largest number of traced kernels
  std::int64_t interval_ns = 1'000'000;  ///< length of a sample
  Overhead overhead = {};

  friend bool operator==(const ProfileRequest&, const ProfileRequest&) = default;
};

/// Environment variable with the request: lines of `key=value`.
inline constexpr const char* profile_variable = "ROOFLAB_PROFILE";
[[nodiscard]] std::string text_of(const ProfileRequest& request);
/// Parses a request; nullopt when a line is not as text_of() writes it, or the folder is missing.
[[nodiscard]] std::optional<ProfileRequest> profile_request_from_text(std::string_view text);

}  // namespace rooflab::profile
