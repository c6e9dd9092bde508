#include "result_facts.hpp"

#include <algorithm>
#include <vector>

#include "base/shell_words.hpp"
#include "rooflab/record/kernel_name.hpp"

namespace rooflab::findings {
namespace {

/// Where the words of a command line begin and end, quotes taken into account.
std::vector<std::pair<std::size_t, std::size_t>> words_in(const std::string& line) {
  std::vector<std::pair<std::size_t, std::size_t>> words;
  bool quoted = false;
  bool open = false;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    const bool blank = i == line.size() || (line[i] == ' ' && !quoted);
    if (i < line.size() && line[i] == '\'') quoted = !quoted;
    if (!blank && !open) words.emplace_back(i, i);
    if (!blank) words.back().second = i + 1;
    open = !blank;
  }
  return words;
}

double sum_of_rows(const analyze::CaseResult& result) {
  if (const auto time = result.predicted_time()) return time->value;
  return result.limit.time ? result.limit.time->value : 0.0;
}

}  // namespace

std::string short_name(const std::string& kernel) {
  constexpr std::size_t most = 60;
  std::string name = record::short_kernel_name(kernel);
  if (name.size() <= most) return name;
  std::size_t end = most - 3;
  while (end > 0 && (name[end] & 0xC0) == 0x80) --end;  // not within a letter
  return name.substr(0, end) + "...";
}

std::string command_with(const std::string& line, const std::string& flag,
                         const std::string& value) {
  // A file from elsewhere holds the line: nobody is advised to run another program, or a shell's
  // text.
  const auto known = shell_words(line);
  if (!known || known->front() != "rooflab") return {};
  const std::string words = value.empty() ? flag : flag + " " + value;
  const auto all = words_in(line);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string word = line.substr(all[i].first, all[i].second - all[i].first);
    if (word != flag && !word.starts_with(flag + "=")) continue;
    const bool apart = word == flag && !value.empty() && i + 1 < all.size();
    const std::size_t end = apart ? all[i + 1].second : all[i].second;
    return line.substr(0, all[i].first) + words + line.substr(end);
  }
  return line + " " + words;
}

double NetworkFacts::row_s(const analyze::LayerRow& row) const {
  const std::optional<Seconds>& time = result.has_interval() ? row.predicted : row.time;
  return time ? scale * time->value : 0.0;
}

double NetworkFacts::above_limit_s(const analyze::LayerRow& row) const {
  return row.time ? std::max(0.0, row_s(row) - row.time->value) : 0.0;
}

std::optional<double> NetworkFacts::peak(ArithmeticPath path) const {
  const auto found = result.device.peaks.find(path);
  return found == result.device.peaks.end() ? std::nullopt : std::optional(found->second.value);
}

std::optional<double> NetworkFacts::bandwidth() const {
  return result.device.bandwidth ? std::optional(result.device.bandwidth->value) : std::nullopt;
}

std::optional<double> NetworkFacts::gain(const std::optional<Seconds>& other) const {
  const std::optional<Seconds> time = result.predicted_time();
  if (!other || !time || time->value <= 0.0) return std::nullopt;
  return 1.0 - other->value / time->value;
}

std::string NetworkFacts::with(const std::string& flag, const std::string& value) const {
  return command_with(command, flag, value);
}

std::optional<NetworkFacts> network_facts(const analyze::CaseResult& result) {
  const double sum_s = sum_of_rows(result);
  if (sum_s <= 0.0) return std::nullopt;
  // A recording is one step: no flag gives it another precision or layout, so no command tries one.
  return NetworkFacts{result, sum_s, 1.0, result.recorded ? std::string() : result.command};
}

std::optional<NetworkFacts> network_facts(const analyze::MeasuredCase& measured) {
  if (!measured.model || !measured.median_s()) return std::nullopt;
  const double sum_s = sum_of_rows(*measured.model);
  if (sum_s <= 0.0) return std::nullopt;
  return NetworkFacts{*measured.model, *measured.median_s(), *measured.median_s() / sum_s,
                      measured.record.identity.command};
}

bool may_be_of_pytorch(const record::Record& record) {
  if (!record.trace || record.trace->profiler != record::nsight_systems) return true;
  if (!record.kernels) return false;
  const record::NameTable& names = record.kernels->names;
  for (record::NameTable::Id id = 0; id < names.size(); ++id) {
    for (const std::string_view part : {"at::native::", "at_cuda_detail::", "triton_"}) {
      if (names[id].find(part) != std::string::npos) return true;
    }
  }
  return false;
}

}  // namespace rooflab::findings
