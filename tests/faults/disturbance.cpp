#include "disturbance.hpp"

#include <array>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace faults {
namespace {

using sandbox::Stream;

constexpr int largest_errno = 133;

constexpr std::array<std::pair<Stream, const char*>, 3> stream_names = {
    {{Stream::closed, "closed"}, {Stream::full, "full"}, {Stream::cut, "cut"}}};

std::string stream_text(const char* name, Stream stream) {
  for (const auto& [each, word] : stream_names) {
    if (each == stream) return std::string(name) + "=" + word;
  }
  return {};
}

[[noreturn]] void refuse(const std::string& text) {
  throw std::runtime_error("not a disturbance, such as kill@57 or ENOSPC@12+: " + text);
}

int errno_of(const std::string& name) {
  for (int error = 1; error <= largest_errno; ++error) {
    const char* const known = ::strerrorname_np(error);
    if (known != nullptr && name == known) return error;
  }
  refuse(name);
}

Stream stream_of(const std::string& text) {
  for (const auto& [stream, word] : stream_names) {
    if (text == word) return stream;
  }
  refuse(text);
}

Disturbance read_one(const std::string& text) {
  Disturbance result;
  if (text == "none") return result;
  if (text == "pair") {
    result.pair = true;
    return result;
  }
  if (const auto equal = text.find('='); equal != std::string::npos) {
    const std::string name = text.substr(0, equal);
    const Stream stream = stream_of(text.substr(equal + 1));
    (name == "stdin" ? result.in : name == "stdout" ? result.out : result.err) = stream;
    return result;
  }
  const auto at = text.find('@');
  if (at == std::string::npos) refuse(text);
  const std::string what = text.substr(0, at);
  const std::string place = text.substr(at + 1);
  result.hangs = what == "hang";
  result.stays = place.ends_with('+');
  if (place.ends_with('s')) {
    result.kill_after =
        std::chrono::microseconds(static_cast<std::int64_t>(std::stod(place) * 1e6));
  } else {
    result.call = std::stol(place);
    if (what != "kill") result.error = errno_of(what);
  }
  return result;
}

}  // namespace

std::string to_text(const Disturbance& disturbance) {
  if (disturbance.pair) return "pair";
  if (disturbance.kill_after) {
    std::ostringstream text;
    text << (disturbance.hangs ? "hang@" : "kill@")
         << static_cast<double>(disturbance.kill_after->count()) * 1e-6 << 's';
    return text.str();
  }
  if (disturbance.call) {
    const int error = disturbance.error;
    return std::string(error == 0 ? "kill" : ::strerrorname_np(error)) + "@" +
           std::to_string(*disturbance.call) + (disturbance.stays ? "+" : "");
  }
  for (const std::string& text :
       {stream_text("stdin", disturbance.in), stream_text("stdout", disturbance.out),
        stream_text("stderr", disturbance.err)}) {
    if (!text.empty()) return text;
  }
  return "none";
}

std::string to_text(const std::vector<Disturbance>& runs) {
  std::string text;
  for (const Disturbance& run : runs) text += (text.empty() ? "" : ",") + to_text(run);
  return text;
}

std::vector<Disturbance> read_disturbances(const std::string& text) {
  std::vector<Disturbance> runs;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) runs.push_back(read_one(word));
  return runs;
}

}  // namespace faults
