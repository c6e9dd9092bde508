// Which flags of a command line have a part in what it asks for.

#include <algorithm>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "parameter_list.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab {
namespace {

const Parameter& needed(const Parameters& table, const Need& need) {
  const Parameter* const other = table.find(need.key);
  ROOFLAB_ASSERT(other != nullptr);
  return *other;
}

/// A default does not meet a need, and neither does a switch that is off.
bool is_met(const Parameters& table, const Need& need, const GivenWords& given,
            const void* request) {
  if (!given.contains(need.key)) return false;
  const std::vector<std::string> written = needed(table, need).write(request);
  if (need.words.empty()) return !written.empty();
  return std::ranges::any_of(written, [&need](const std::string& word) {
    return std::ranges::count(need.words, word) != 0;
  });
}

/// The words of a command line: `--measure`, `MODEL`, `plan or run`.
std::string shown(const Parameters& table, const Need& need) {
  const Parameter& other = needed(table, need);
  if (need.words.empty()) return other.flag();
  const std::string words = join(need.words, " or ");
  return other.positional ? words : format("{} {}", other.flag(), words);
}

/// The tables of commands are made of parts: of those of the same request.
bool same_request(const Parameter& one, const Parameter& other) {
  const std::size_t above = one.path.size() - 1;
  return other.path.size() > above &&
         std::equal(one.path.begin(), one.path.begin() + static_cast<std::ptrdiff_t>(above),
                    other.path.begin());
}

}  // namespace

void Parameters::check_parts(const GivenWords& given, const void* request) const {
  for (const Parameter& each : *this) {
    if (!given.contains(each.key) || (each.is_switch() && each.write(request).empty())) continue;
    if (each.beside) {
      for (const Parameter& other : *this) {
        const bool has_part = std::ranges::count(*each.beside, other.key) != 0;
        if (has_part || !given.contains(other.key) || &other == &each) continue;
        if (!same_request(each, other)) continue;
        throw Error(ErrorKind::usage, format("{} takes no {}", each.flag(), other.flag()),
                    format("leave out {} or {}", other.flag(), each.flag()));
      }
    }
    const auto met = [&](const Need& need) { return is_met(*this, need, given, request); };
    if (each.needs.empty() || std::ranges::any_of(each.needs, met)) continue;
    std::vector<std::string> others;
    for (const Need& need : each.needs) others.push_back(shown(*this, need));
    throw Error(ErrorKind::usage, format("{} needs {}", each.flag(), join(others, " or ")),
                format("without it, {} has no effect", each.flag()));
  }
}

Parameters needing(const Need& need, Parameters table) {
  for (Parameter& each : table) {
    if (each.needs.empty()) each.needs = {need};
  }
  return table;
}

}  // namespace rooflab
