#include "layer_rules.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

namespace rooflab::layers {
namespace {

namespace fs = std::filesystem;

const std::string front = "front";  // headers by purpose, in include/rooflab itself

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool begins_with_entry(const std::string& header, const std::string& entry) {
  return entry.back() == '/' ? header.starts_with(entry) : header == entry;
}

struct Include {
  std::string target;
  bool angled = false;
};

std::optional<Include> include_of(std::string_view line) {
  const auto skip_blanks = [&] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip_blanks();
  if (!line.starts_with('#')) return std::nullopt;
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("include")) return std::nullopt;
  line.remove_prefix(7);
  skip_blanks();
  if (line.empty() || (line.front() != '<' && line.front() != '"')) return std::nullopt;
  const bool angled = line.front() == '<';
  const std::size_t end = line.find(angled ? '>' : '"', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{std::string(line.substr(1, end - 1)), angled};
}

/// What an angled include breaks, or empty.
std::string judge_angled(const Rules& rules, const std::string& room, const std::string& header) {
  const bool standard = header.find_first_of("./") == std::string::npos;
  const bool system =
      std::any_of(rules.system_headers.begin(), rules.system_headers.end(),
                  [&](const std::string& entry) { return begins_with_entry(header, entry); });
  if (standard || system) return {};
  for (const auto& [prefix, owner] : rules.parties) {
    if (!begins_with_entry(header, prefix)) continue;
    if (room == owner) return {};
    return "<" + header + "> is included by " + owner + " only, not by " + room;
  }
  return "<" + header + "> is of no party in tools/layers.txt";
}

/// What a quoted include breaks, or empty.
std::string judge_quoted(const Rules& rules, const std::string& room, const fs::path& path,
                         const std::string& header, bool (*exists)(const fs::path&)) {
  for (const fs::path& folder : {path.parent_path(), fs::path("src"), fs::path("include")}) {
    const fs::path target = (folder / header).lexically_normal();
    if (!exists(target)) continue;
    const std::string used = room_of(target);
    const bool public_header = path.begin()->string() == "include";
    if (public_header && target.begin()->string() != "include") {
      return "a public header includes the private \"" + header + "\"";
    }
    if (rules.allowed.at(room).contains(used)) return {};
    return room + " may not include " + (used.empty() ? target.string() : used) + " (\"" + header +
           "\")";
  }
  return "\"" + header + "\" is not a file of this project; third parties are included with <>";
}

}  // namespace

Rules parse_rules(std::string_view text) {
  Rules rules;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::vector<std::string> words = words_of(line.substr(0, line.find('#')));
    if (words.empty() || words[0] == "lines" || words[0] == "long") continue;  // size_budget.hpp
    const std::string place = "tools/layers.txt:" + std::to_string(number) + ": ";
    if (words[0] == "system") {
      rules.system_headers.insert(rules.system_headers.end(), words.begin() + 1, words.end());
    } else if (words[0] == "stem") {
      rules.shared_stems.insert(words.begin() + 1, words.end());
    } else if (words[0] == "party" && words.size() == 3 && words[1].back() == ':') {
      const std::string prefix = words[1].substr(0, words[1].size() - 1);
      if (!rules.allowed.contains(words[2])) {
        rules.problems.push_back(place + "no room '" + words[2] + "'");
      }
      if (!rules.parties.emplace(prefix, words[2]).second) {
        rules.problems.push_back(place + "a second room for '" + prefix + "'");
      }
    } else if (words[0] == "public" && words.size() > 2 && words[1].back() == ':') {
      const std::string room = words[1].substr(0, words[1].size() - 1);
      if (!rules.allowed.contains(room)) rules.problems.push_back(place + "no room '" + room + "'");
      for (std::size_t i = 2; i < words.size(); ++i) {
        const fs::path folder = fs::path("include/rooflab") / (room == front ? "" : room);
        rules.public_headers.insert(folder / (words[i] + ".hpp"));
      }
    } else if (words[0].back() == ':') {
      const std::string room = words[0].substr(0, words[0].size() - 1);
      std::set<std::string> allowed = {room};
      for (std::size_t i = 1; i < words.size(); ++i) {
        const auto used = rules.allowed.find(words[i]);
        if (used == rules.allowed.end()) {
          rules.problems.push_back(place + "'" + room + "' uses '" + words[i] +
                                   "', which is not above it");
        } else {
          allowed.insert(used->second.begin(), used->second.end());
        }
      }
      if (!rules.allowed.emplace(room, allowed).second) {
        rules.problems.push_back(place + "a second line for '" + room + "'");
      }
    } else {
      rules.problems.push_back(place + "not understood");
    }
  }
  return rules;
}

std::string room_of(const fs::path& path) {
  const std::vector<fs::path> parts(path.begin(), path.end());
  if (parts.size() < 3) return {};
  if (parts[0] == "src") return parts[1].string();
  if (parts[0] == "include") return parts.size() > 3 ? parts[2].string() : front;
  if (parts[0] == "workers" || parts[0] == "inject") return (parts[0] / parts[1]).string();
  return {};
}

std::vector<std::string> check_source(const Rules& rules, const fs::path& path,
                                      std::string_view text, bool (*exists)(const fs::path&)) {
  const std::string room = room_of(path);
  if (!rules.allowed.contains(room)) {
    return {path.string() + ":1: '" + room + "' is not a room of tools/layers.txt"};
  }
  std::vector<std::string> findings;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::optional<Include> include = include_of(line);
    if (!include) continue;
    const std::string finding = include->angled
                                    ? judge_angled(rules, room, include->target)
                                    : judge_quoted(rules, room, path, include->target, exists);
    if (!finding.empty()) {
      findings.push_back(path.string() + ":" + std::to_string(number) + ": " + finding);
    }
  }
  return findings;
}

std::vector<std::string> check_public_headers(const Rules& rules,
                                              const std::set<fs::path>& headers) {
  std::vector<std::string> findings;
  for (const fs::path& header : headers) {
    if (!rules.public_headers.contains(header)) {
      findings.push_back(
          header.string() +
          ": tools/layers.txt does not list it as public; headers for the rooms alone "
          "lie in src/");
    }
  }
  for (const fs::path& header : rules.public_headers) {
    if (!headers.contains(header)) {
      findings.push_back(header.string() + ": tools/layers.txt lists it, but it does not exist");
    }
  }
  return findings;
}

std::vector<std::string> flags_in(const fs::path& path, std::string_view text) {
  constexpr std::string_view dashes = "\"--";
  std::vector<std::string> findings;
  int line = 1;
  std::size_t counted = 0;
  for (std::size_t at = text.find(dashes); at != std::string_view::npos;
       at = text.find(dashes, at + 1)) {
    line += static_cast<int>(std::ranges::count(text.substr(counted, at - counted), '\n'));
    counted = at;
    const std::string_view flag = text.substr(at + dashes.size());
    if (flag.empty() || flag.front() < 'a' || flag.front() > 'z') continue;
    findings.push_back(path.string() + ":" + std::to_string(line) +
                       ": a flag is named below the requests' tables");
  }
  return findings;
}

std::vector<std::string> check_names(const fs::path& path) {
  constexpr std::array empty_names = {"common",  "util", "utils",   "helper",
                                      "helpers", "core", "manager", "managers"};
  std::vector<std::string> findings;
  for (const fs::path& part : path) {
    std::string stem = part.stem().string();
    if (stem.ends_with("_test")) stem.resize(stem.size() - 5);
    for (const std::string name : empty_names) {
      const bool named_so = stem == name || stem.starts_with(name + "_") ||
                            (name != "core" && stem.ends_with("_" + name));
      if (named_so) findings.push_back(path.string() + ": nothing is called '" + name + "'");
    }
  }
  return findings;
}

std::vector<std::string> check_stems(const std::vector<fs::path>& sources,
                                     const std::set<std::string>& known) {
  std::map<std::string, std::set<std::string>> rooms;
  for (const fs::path& source : sources) {
    if (room_of(source) != front) rooms[source.stem().string()].insert(room_of(source));
  }
  std::vector<std::string> findings;
  for (const auto& [stem, of_stem] : rooms) {
    const bool allowed = stem == "rules" || stem == "main" || stem.ends_with("_fields");
    if (of_stem.size() == 1 || allowed || known.contains(stem)) continue;
    std::string names;
    for (const std::string& room : of_stem) names += (names.empty() ? "" : ", ") + room;
    findings.push_back("'" + stem + "' is the name of files in " + names);
  }
  for (const std::string& stem : known) {
    const auto found = rooms.find(stem);
    if (found == rooms.end() || found->second.size() == 1) {
      findings.push_back("'" + stem + "' is in one room: take it out of tools/layers.txt");
    }
  }
  return findings;
}

}  // namespace rooflab::layers
