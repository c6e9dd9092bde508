#include "finding_commands.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "base/shell_words.hpp"
#include "rooflab/task/layer_choice.hpp"
#include "rooflab/task/request_kind.hpp"

namespace rooflab::task {
namespace {

using findings::Finding;

/// The table of the command of a line of `rooflab`; nullptr for any other line. A file from
/// elsewhere holds the line: nobody is advised to run another program, or a shell's text.
const Parameters* parameters_in(const std::string& line) {
  const auto words = shell_words(line);
  if (!words || words->size() < 2 || words->front() != "rooflab") return nullptr;
  const auto kind = std::ranges::find(request_kinds(), words->at(1), &RequestKind::command);
  return kind == request_kinds().end() ? nullptr : kind->parameters;
}

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

/// The line with `flag` set to `value`, in place of the value that it has.
std::string with_flag(const std::string& line, const std::string& flag, const std::string& value) {
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

/// The value of a flag on a line; nullopt: the line does not give it.
std::optional<std::string> value_of(const std::string& line, const std::string& flag) {
  const auto words = shell_words(line).value_or(std::vector<std::string>());
  const auto given = std::ranges::find(words, flag);
  if (given == words.end()) return std::nullopt;
  return given + 1 == words.end() ? std::string() : given[1];
}

std::string with_twice(const std::string& line, const std::string& flag) {
  constexpr std::int64_t most = std::int64_t{1} << 40;
  const auto value = parse_integer(value_of(line, flag).value_or(""));
  if (!value || *value > most) return {};
  return with_flag(line, flag, std::to_string(2 * *value));
}

std::string with_change(const std::string& line, const RequestChange& change,
                        const Parameters& parameters) {
  const Parameter* const parameter = parameters.find(name_of(change.member));
  if (parameter == nullptr) return {};
  if (change.doubles) return with_twice(line, parameter->flag());
  if (change.member == ChangedMember::batch) {  // a layer's batch is its input's first extent
    const std::string input = flag_of<&LayerChoice::input>();
    if (const std::optional<std::string> extents = value_of(line, input)) {
      const std::string batch = change.from + "x";
      if (!extents->starts_with(batch)) return {};
      return with_flag(line, input, format("{}x{}", change.value, extents->substr(batch.size())));
    }
  }
  return with_flag(line, parameter->flag(), change.value);
}

/// Nodes of ONNX files have names that are not PyTorch's modules.
bool is_of_onnx(const std::string& line) { return line.find(".onnx") != std::string::npos; }

}  // namespace

std::string changed_command(const std::string& line, std::span<const RequestChange> changes) {
  const Parameters* const parameters = parameters_in(line);
  if (parameters == nullptr) return {};
  std::string changed = line;
  for (const RequestChange& each : changes) {
    if (!changed.empty()) changed = with_change(changed, each, *parameters);
  }
  return changed;
}

std::vector<Finding> with_commands(std::vector<Finding> found) {
  for (Finding& each : found) {
    if (each.names_module && is_of_onnx(each.command_line)) each.attempt.clear();
    if (each.changes.empty()) continue;
    std::string command = changed_command(each.command_line, each.changes);
    if (!command.empty()) each.attempt = std::move(command);
  }
  return found;
}

findings::ImportedFindings imported_findings_for(const analyze::ResultSet& recorded) {
  findings::ImportedFindings found = findings::imported_findings(recorded.imported, recorded.job);
  found.all = with_commands(std::move(found.all));
  for (std::vector<Finding>& each : found.of_each) each = with_commands(std::move(each));
  return found;
}

}  // namespace rooflab::task
