#include "rooflab/profile/profile_request.hpp"

#include <array>
#include <charconv>

namespace rooflab::profile {
namespace {

constexpr std::string_view nvtx_prefix = "nvtx:";
constexpr std::string_view launches_prefix = "launches:";
constexpr std::string_view time_prefix = "time:";
constexpr std::uint64_t longest_ns = 1'000'000'000'000;  // of a sample: more is a mistake

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || rest != end) return std::nullopt;
  return value;
}

std::optional<double> seconds(std::string_view text) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  constexpr double longest = 1e9;
  if (text.empty() || error != std::errc() || rest != end) return std::nullopt;
  return value >= 0.0 && value <= longest ? std::optional(value) : std::nullopt;
}

std::string text_of(double value) {
  std::array<char, 32> text = {};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::optional<ProfileWindow> time_window(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::optional<double> skip = seconds(text.substr(0, colon));
  const std::optional<double> length =
      colon == std::string_view::npos ? std::optional(0.0) : seconds(text.substr(colon + 1));
  if (!skip || !length || (colon != std::string_view::npos && *length == 0.0)) return std::nullopt;
  ProfileWindow window;
  window.kind = ProfileWindow::Kind::time;
  window.skip_s = *skip;
  window.length_s = *length;
  return window;
}

}  // namespace

std::optional<ProfileWindow> profile_window_from_text(std::string_view text) {
  ProfileWindow window;
  if (text == "all" || text == "step") return window;
  if (const auto part = from_name<StepPart>(text)) {
    window.kind = ProfileWindow::Kind::part;
    window.part = *part;
    return window;
  }
  if (text == "profiler") {
    window.kind = ProfileWindow::Kind::profiler;
    return window;
  }
  if (text.starts_with(nvtx_prefix) && text.size() > nvtx_prefix.size()) {
    window.kind = ProfileWindow::Kind::nvtx;
    window.nvtx = text.substr(nvtx_prefix.size());
    // Lines carry the request to the injected library.
    return window.nvtx.find('\n') == std::string::npos ? std::optional(window) : std::nullopt;
  }
  if (text.starts_with(time_prefix)) return time_window(text.substr(time_prefix.size()));
  if (!text.starts_with(launches_prefix)) return std::nullopt;
  text.remove_prefix(launches_prefix.size());
  const std::size_t colon = text.find(':');
  const std::optional<std::uint64_t> skip = number(text.substr(0, colon));
  const std::optional<std::uint64_t> count = colon == std::string_view::npos
                                                 ? std::optional<std::uint64_t>(0)
                                                 : number(text.substr(colon + 1));
  if (!skip || !count) return std::nullopt;
  window.kind = ProfileWindow::Kind::launches;
  window.skip = *skip;
  window.count = *count;
  return window;
}

std::string text_of(const ProfileWindow& window) {
  switch (window.kind) {
    case ProfileWindow::Kind::all:
      return "all";
    case ProfileWindow::Kind::profiler:
      return "profiler";
    case ProfileWindow::Kind::nvtx:
      return std::string(nvtx_prefix) + window.nvtx;
    case ProfileWindow::Kind::part:
      return std::string(name_of(window.part));
    case ProfileWindow::Kind::time:
      return std::string(time_prefix) + text_of(window.skip_s) +
             (window.length_s > 0.0 ? ":" + text_of(window.length_s) : "");
    case ProfileWindow::Kind::launches:
      break;
  }
  std::string text = std::string(launches_prefix) + std::to_string(window.skip);
  if (window.count > 0) text += ":" + std::to_string(window.count);
  return text;
}

std::optional<StepRule> step_rule_from_text(std::string_view text) {
  if (text == "auto") return StepRule{};
  if (text == "window") return StepRule{StepRule::Kind::window, 0};
  if (!text.starts_with(launches_prefix)) return std::nullopt;
  const std::optional<std::uint64_t> count = number(text.substr(launches_prefix.size()));
  if (!count || *count == 0) return std::nullopt;
  return StepRule{StepRule::Kind::launches, *count};
}

std::string text_of(const StepRule& rule) {
  switch (rule.kind) {
    case StepRule::Kind::automatic:
      return "auto";
    case StepRule::Kind::window:
      return "window";
    case StepRule::Kind::launches:
      break;
  }
  return std::string(launches_prefix) + std::to_string(rule.count);
}

std::optional<Overhead> overhead_from_text(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || rest != end) return std::nullopt;
  if (percent) value /= 100.0;
  return value >= 0.0 && value <= 1.0 ? std::optional(Overhead{value}) : std::nullopt;
}

std::string text_of(const Overhead& overhead) { return text_of(100.0 * overhead.share) + "%"; }

std::string text_of(const ProfileRequest& request) {
  std::string text;
  const auto line = [&text](std::string_view key, std::string_view value) {
    text.append(key).append("=").append(value).append("\n");
  };
  line("folder", request.folder);
  line("mode", name_of(request.mode));
  line("window", text_of(request.window));
  line("step", text_of(request.step));
  if (!request.counters) line("counters", "no");
  if (!request.cupti.empty()) line("cupti", request.cupti);
  line("limit", std::to_string(request.limit));
  line("interval_ns", std::to_string(request.interval_ns));
  line("overhead", text_of(request.overhead));
  return text;
}

std::optional<ProfileRequest> profile_request_from_text(std::string_view text) {
  ProfileRequest request;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const std::string_view key = line.substr(0, equals);
    const std::string_view value = line.substr(equals + 1);
    if (key == "folder") {
      request.folder = value;
    } else if (key == "cupti") {
      request.cupti = value;
    } else if (key == "counters" && value == "no") {
      request.counters = false;
    } else if (const auto mode = from_name<ProfileMode>(value); key == "mode" && mode) {
      request.mode = *mode;
    } else if (const auto window = profile_window_from_text(value); key == "window" && window) {
      request.window = *window;
    } else if (const auto rule = step_rule_from_text(value); key == "step" && rule) {
      request.step = *rule;
    } else if (const auto limit = number(value); key == "limit" && limit) {
      request.limit = *limit;
    } else if (const auto interval = number(value);
               key == "interval_ns" && interval && *interval > 0 && *interval <= longest_ns) {
      request.interval_ns = static_cast<std::int64_t>(*interval);
    } else if (const auto share = overhead_from_text(value); key == "overhead" && share) {
      request.overhead = *share;
    } else {
      return std::nullopt;
    }
  }
  return request.folder.empty() ? std::nullopt : std::optional(request);
}

}  // namespace rooflab::profile
