#include "rooflab/findings/try_line.hpp"

namespace rooflab::findings {

std::string text_of(TryLine line, const std::vector<std::string>& values) {
  constexpr std::string_view place = "{}";
  std::string text(row_of(line).text);
  std::size_t at = 0;
  for (const std::string& value : values) {
    at = text.find(place, at);
    if (at == std::string::npos) break;
    text.replace(at, place.size(), value);
    at += value.size();
  }
  return text;
}

}  // namespace rooflab::findings
