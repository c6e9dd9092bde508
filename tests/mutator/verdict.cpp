// What a run of the program on a damaged file may not show.

#include <csignal>

#include "rooflab/base/json.hpp"
#include "specimen.hpp"

namespace mutator {
namespace {

/// Controls other than the line feed; in JSON, which is not for terminals, those that it forbids.
bool has_controls(std::string_view text, bool json) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte < 0x20 && byte != '\n') || (byte == 0x7f && !json)) return true;
    const bool two = !json && byte == 0xc2 && i + 1 < text.size();
    if (two && static_cast<unsigned char>(text[i + 1]) < 0xa0) return true;
  }
  return false;
}

std::string last_line(const std::string& text) {
  const std::string whole = text.substr(0, text.find_last_not_of('\n') + 1);
  return whole.substr(whole.rfind('\n') + 1).substr(0, 300);
}

}  // namespace

std::vector<std::string> problems_of(const sandbox::ChildEnd& end, bool json,
                                     const Limits& limits) {
  std::vector<std::string> problems;
  const auto say = [&](const std::string& text) { problems.push_back(text); };
  if (end.timed_out || end.signal == SIGXCPU) {
    say("took more than " + std::to_string(limits.processor.count()) + " s of the processor");
  } else if (end.signal != 0) {
    say("ended by signal " + std::to_string(end.signal) + ": " + last_line(end.errors));
  } else if (end.exit_code > 3) {
    say("exit " + std::to_string(end.exit_code) + ": " + last_line(end.errors));
  }
  if (end.errors.find("fault of Rooflab") != std::string::npos) say(last_line(end.errors));
  const bool error_line = end.errors.starts_with("rooflab: error: ") ||
                          end.errors.find("\nrooflab: error: ") != std::string::npos;
  if ((end.exit_code == 2 || end.exit_code == 3) && !error_line) {
    say("exit " + std::to_string(end.exit_code) + " without `rooflab: error:`");
  }
  if (end.peak_bytes > limits.peak_bytes) {
    say("held " + std::to_string(end.peak_bytes / 1'000'000) + " MB");
  }
  if (has_controls(end.output, json)) say("control characters on stdout");
  if (has_controls(end.errors, false)) say("control characters on stderr");
  if (json && end.exit_code < 2 && end.signal == 0 && !rooflab::Json::parse_if_valid(end.output)) {
    say("stdout is not JSON");
  }
  return problems;
}

}  // namespace mutator
