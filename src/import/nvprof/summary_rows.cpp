#include "summary_rows.hpp"

#include <algorithm>
#include <cmath>

#include "import/kineto/token.hpp"
#include "notes/import_notes.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::import::nvprof {
namespace {

std::optional<double> time_of(std::string_view field, double unit_s) {
  constexpr double most_s = 1e10;
  const auto value = parse_number(trim(field));
  if (!value || !std::isfinite(*value) || *value < 0.0) return std::nullopt;
  const double time_s = *value / std::round(1.0 / unit_s);  // 200 us are 0.0002 s, to the last bit
  return time_s <= most_s ? std::optional(time_s) : std::nullopt;
}

void add(SummedEvents& sum, std::string_view name, std::int64_t events, double time_s) {
  sum.events += events;
  sum.time_s += time_s;
  if (sum.longest.empty() || time_s > sum.longest_s) {
    sum.longest = kineto::valid_utf8(name);
    sum.longest_s = time_s;
  }
}

}  // namespace

void SummaryRows::add_kernel(std::string_view name, std::string_view process, double time_s,
                             const record::SummedLaunches& launches) {
  record::KernelLaunch launch;
  launch.name = kernels_.names.intern(kineto::valid_utf8(name));
  launch.process = kernels_.processes.intern(process);
  const std::size_t row = kernels_.add(launch);
  kernels_.set(record::KernelFigure::time_s, row, time_s);
  kernels_.set_summed(row, launches);
}

std::string_view SummaryRows::take(const SummaryColumns& columns,
                                   std::span<const std::string_view> fields, bool calls,
                                   std::string_view process) {
  constexpr std::int64_t most_launches = 1'000'000'000'000;
  const std::string_view name = trim(fields[columns.name]);
  const auto events = parse_integer(trim(fields[columns.calls]));
  const auto time_s = time_of(fields[columns.time], columns.time_unit_s);
  const auto shortest_s = time_of(fields[columns.shortest], columns.shortest_unit_s);
  const auto longest_s = time_of(fields[columns.longest], columns.longest_unit_s);
  // Times of one launch in two units differ by what was rounded.
  constexpr double last_decimal = 1e-6;
  const double rounded_s = last_decimal * (columns.shortest_unit_s + columns.longest_unit_s);
  if (name.empty() || !time_s || !shortest_s || !longest_s ||
      *shortest_s > *longest_s + rounded_s || !events || *events < 1 || *events > most_launches) {
    return "rows of sums whose values are missing, not numbers or out of their range";
  }
  const std::string_view type = columns.type ? trim(fields[*columns.type]) : std::string_view();
  if (columns.type && type != "GPU activities" && type != "API calls") {
    return "rows of sums that are neither of the GPU nor of calls of CUDA";
  }
  if (type == "API calls" || (!columns.type && calls)) {
    add(calls_, name, *events, *time_s);
  } else if (name.front() == '[') {  // [CUDA memcpy HtoD], [CUDA memset]
    add(copies_, name, *events, *time_s);
  } else {
    add_kernel(name, process, *time_s, {*events, *shortest_s, std::max(*shortest_s, *longest_s)});
  }
  return {};
}

void SummaryRows::add_notes(std::vector<Note>& notes) const {
  const auto add = [&](const NoteSentence& sentence, const SummedEvents& sum) {
    if (sum.events > 0) notes.push_back({sentence, {sum.events, sum.time_s, sum.longest}});
  };
  add(says.sums_of_copies, copies_);
  add(says.sums_of_calls, calls_);
}

}  // namespace rooflab::import::nvprof
