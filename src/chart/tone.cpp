#include "tone.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/format.hpp"

namespace rooflab::chart {
namespace {

constexpr std::array toned_words = std::to_array<std::pair<std::string_view, Tone>>({
    {"fits", Tone::good},
    {"likely", Tone::good},
    {"ok", Tone::good},
    {"risky", Tone::warning},
    {"suspect", Tone::warning},
    {"missing", Tone::warning},
    {"unsupported", Tone::warning},
    {"interrupted", Tone::warning},
    {"oom", Tone::bad},
    {"failed", Tone::bad},
    {"crashed", Tone::bad},
    {"supported", Tone::good},
    {"refuted", Tone::bad},
    {"undecided", Tone::quiet},
});

std::string escaped(std::string_view code, std::string_view text) {
  return format("\x1b[{}m{}\x1b[0m", code, text);
}

}  // namespace

Tone tone_of_cell(std::string_view text) {
  const auto found =
      std::ranges::find(toned_words, text, &std::pair<std::string_view, Tone>::first);
  return found == toned_words.end() ? Tone::none : found->second;
}

Tone tone_of_note(std::string_view text) {
  return text.starts_with("suspect: ") || text.find(": suspect: ") != std::string_view::npos
             ? Tone::warning
             : Tone::none;
}

std::string colored(Tone tone, std::string_view text) {
  switch (tone) {
    case Tone::good:
      return escaped("32", text);
    case Tone::warning:
      return escaped("33", text);
    case Tone::bad:
      return escaped("31", text);
    case Tone::quiet:
      return dimmed(text);
    case Tone::none:
      break;
  }
  return std::string(text);
}

std::string bold(std::string_view text) { return escaped("1", text); }
std::string dimmed(std::string_view text) { return escaped("2", text); }

}  // namespace rooflab::chart
