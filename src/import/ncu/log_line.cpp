#include "log_line.hpp"

#include <algorithm>

#include "rooflab/base/text.hpp"

namespace rooflab::import::ncu {
namespace {

constexpr std::size_t longest_id = 24;
constexpr std::size_t longest_message = 300;

/// Length of `"123",` at the start; 0: something else. IDs may have their digits grouped.
std::size_t quoted_id(std::string_view text, bool may_be_empty) {
  if (!text.starts_with('"')) return 0;
  std::size_t i = 1;
  while (i < text.size() && i < longest_id &&
         (is_digit(text[i]) || (i > 1 && (text[i] == ',' || text[i] == '.')))) {
    ++i;
  }
  if (i == 1 && !may_be_empty) return 0;
  return text.substr(i).starts_with("\",") ? i + 2 : 0;
}

}  // namespace

std::size_t find_header(std::string_view line) {
  const std::size_t quoted = line.find("\"ID\",\"");
  if (quoted != std::string_view::npos) return quoted;
  return line.starts_with("ID,Process ID,") ? 0 : std::string_view::npos;
}

bool begins_row(std::string_view line, bool quoted) {
  if (quoted) return quoted_id(line, true) > 0;
  std::size_t i = 0;
  while (i < line.size() && i < longest_id && is_digit(line[i])) ++i;
  return line.substr(i).starts_with(',');
}

std::size_t find_row(std::string_view line) {
  for (std::size_t at = line.find('"'); at != std::string_view::npos; at = line.find('"', at + 1)) {
    const std::size_t id = quoted_id(line.substr(at), false);
    if (id > 0 && quoted_id(line.substr(at + id), false) > 0) return at;
  }
  return std::string_view::npos;
}

void note_message(std::string_view line, LogFacts& facts) {
  const std::size_t mark = line.find("==");
  if (mark == std::string_view::npos) {
    if (line.starts_with('"') && line.find("\"Invocations\"") != std::string_view::npos) {
      facts.summary_table = true;
    }
    return;
  }
  const std::string_view message = line.substr(mark);
  const std::size_t error = message.find("==ERROR==");
  if (error != std::string_view::npos) {
    facts.ncu_was_here = true;
    if (facts.errors++ == 0) {
      facts.first_error = trim(message.substr(error, longest_message));
    }
    if (message.find("ERR_NVGPUCTRPERM") != std::string_view::npos) facts.no_permission = true;
  } else if (message.find("==WARNING==") != std::string_view::npos) {
    facts.ncu_was_here = true;
    if (message.find("No kernels were profiled") != std::string_view::npos) {
      facts.nothing_profiled = true;
    }
    if (message.find("unmodified GPU clocks") != std::string_view::npos) {
      facts.clocks_unmodified = true;
    }
  } else if (message.find("==PROF==") != std::string_view::npos) {
    facts.ncu_was_here = true;
  }
}

}  // namespace rooflab::import::ncu
