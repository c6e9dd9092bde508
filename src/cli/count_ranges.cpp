#include "count_ranges.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "flag_value.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::cli {
namespace {

constexpr std::string_view example = "--vary batch, --vary batch=1..4096, --vary conv=1..,fc=1..";

predict::CountRange range_of(std::string_view text, std::string_view whole) {
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) {
    throw Error(ErrorKind::usage, format("--vary takes ranges A..B, not '{}'", whole),
                std::string(example));
  }
  predict::CountRange range;
  const std::string_view least = trim(text.substr(0, dots));
  const std::string_view most = trim(text.substr(dots + 2));
  if (!least.empty()) range.least = positive(least, "--vary", example);
  if (!most.empty()) range.most = positive(most, "--vary", example);
  if (range.most && *range.most < range.least) {
    throw Error(ErrorKind::usage, format("--vary '{}' ends before it begins", whole),
                std::string(example));
  }
  return range;
}

}  // namespace

CountRanges count_ranges(std::string_view text) {
  CountRanges result;
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    const std::string name(trim(std::string_view(part).substr(0, equals)));
    if (name.empty()) {
      throw Error(ErrorKind::usage, format("--vary '{}' names nothing", text),
                  std::string(example));
    }
    if (std::ranges::find(result.names, name) != result.names.end()) {
      throw Error(ErrorKind::usage, format("--vary names '{}' twice", name), std::string(example));
    }
    result.names.push_back(name);
    result.ranges.push_back(equals == std::string::npos
                                ? predict::CountRange{}
                                : range_of(std::string_view(part).substr(equals + 1), part));
  }
  return result;
}

Bytes byte_size(std::string_view text, std::string_view flag) {
  constexpr std::array<std::pair<std::string_view, double>, 11> units = {{{"kib", 1024.0},
                                                                          {"mib", 1048576.0},
                                                                          {"gib", 1073741824.0},
                                                                          {"tib", 1099511627776.0},
                                                                          {"kb", 1e3},
                                                                          {"mb", 1e6},
                                                                          {"gb", 1e9},
                                                                          {"tb", 1e12},
                                                                          {"m", 1e6},
                                                                          {"g", 1e9},
                                                                          {"b", 1.0}}};
  const std::string word = lowercase(trim(text));
  std::string_view number = word;
  double factor = 1.0;
  for (const auto& [unit, bytes] : units) {
    if (!word.ends_with(unit)) continue;
    number = trim(std::string_view(word).substr(0, word.size() - unit.size()));
    factor = bytes;
    break;
  }
  const std::optional<double> value = parse_number(number);
  constexpr double most = 1e18;
  if (!value || !(*value * factor >= 1.0) || *value * factor > most) {
    throw Error(ErrorKind::usage, format("{} takes a size in bytes, not '{}'", flag, text),
                format("for example {} 8GB (8e9 bytes) or {} 80GiB", flag, flag));
  }
  return Bytes(static_cast<std::int64_t>(std::llround(*value * factor)));
}

}  // namespace rooflab::cli
