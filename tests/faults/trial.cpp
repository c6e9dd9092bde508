#include "trial.hpp"

#include <algorithm>
#include <csignal>
#include <cstring>
#include <regex>

namespace faults {
namespace {

using sandbox::ChildEnd;
using sandbox::Stream;

constexpr std::chrono::seconds patience{20};
constexpr long month_s = 30 * 24 * 3600;

/// What the program says is wrong, else its last line.
std::string last_words(const std::string& text) {
  const std::size_t error = text.rfind("rooflab: error: ");
  if (error != std::string::npos) return text.substr(error, text.find('\n', error) - error);
  const std::string whole = text.substr(0, text.find_last_not_of('\n') + 1);
  return whole.substr(whole.rfind('\n') + 1);
}

/// A text whose lines were broken, in one: `Input/output` may end a line and `error` begin the
/// next.
std::string in_one_line(std::string_view text) {
  std::string joined;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n';
    if (blank && joined.ends_with(' ')) continue;
    joined += blank ? ' ' : c;
  }
  return joined;
}

bool has_words(const ChildEnd& end, int error) {
  const std::string words = std::strerror(error);
  return in_one_line(end.errors).find(words) != std::string::npos ||
         in_one_line(end.output).find(words) != std::string::npos;
}

constexpr std::string_view in_temporary = "in TMPDIR ";

/// What lies in a watched folder itself of a file that may lie deeper: the name of its folder.
std::string_view outermost(std::string_view leftover) {
  if (leftover.starts_with(in_temporary)) leftover.remove_prefix(in_temporary.size());
  return leftover.substr(0, leftover.find('/'));
}

/// A lock file that stays behind locks nothing, and goes with the next run in its folder.
bool is_lock_left(const std::string& difference) {
  return difference.ends_with(".lock" + std::string(is_too_much));
}

}  // namespace

Trial::Trial(WorkPlace& place, const Scenario& scenario) : place_(place), scenario_(scenario) {
  learn("undisturbed", {scenario_.words});
  calls_ = place_.calls();
  // A command writes its own words into what it keeps.
  learn("continued from nothing", {scenario_.again});
  learn("continued after its end", {scenario_.words, scenario_.again});
  own_problems_ = std::move(problems_);
  problems_.clear();
}

void Trial::learn(const std::string& what, const std::vector<std::vector<std::string>>& commands) {
  now_ = what;
  place_.prepare(scenario_);
  for (const std::vector<std::string>& words : commands) {
    later_s_ += month_s;
    const ChildEnd end = place_.run(scenario_, words, {}, later_s_);
    if (end.exit_code != 0) {
      say("exit " + std::to_string(end.exit_code) + ": " + last_words(end.errors));
    }
    if (!end.output.empty()) prints_ = true;
    wall_ = std::max(wall_, end.wall);
    for (const std::string& left : sandbox::end_orphans(patience)) say("runs on: " + left);
  }
  for (const std::string& name : sandbox::half_written(place_.state())) say(name + " is broken");
  for (const auto& [name, content] : place_.temporary()) say("TMPDIR has " + name);
  reference_.add(place_.state());
}

std::vector<Call> Trial::calls_after(const std::vector<Disturbance>& runs) {
  place_.prepare(scenario_);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    (void)place_.run(scenario_, i == 0 ? scenario_.words : scenario_.again, runs[i]);
    (void)sandbox::end_orphans(patience);
  }
  (void)place_.run(scenario_, scenario_.again, {});
  return place_.calls();
}

void Trial::say(const std::string& problem) { problems_.push_back(now_ + ": " + problem); }

void Trial::judge_end(const Disturbance& disturbance, const ChildEnd& end) {
  if (end.timed_out) return say("it did not end");
  if (disturbance.kills() && end.signal == SIGKILL) return;
  const std::string code = "exit " + std::to_string(end.exit_code);
  const std::string words = " (stderr: " + last_words(end.errors) + ")";
  if (end.signal != 0) return say("ended by signal " + std::to_string(end.signal) + words);
  if (end.errors.find("fault of Rooflab") != std::string::npos) return say(last_words(end.errors));
  if (end.exit_code > 3) say(code + words);

  const std::vector<Call> hit = place_.calls();
  const bool fault = disturbance.error != 0 && !hit.empty();
  const bool full = disturbance.out == Stream::full && prints_;
  const bool lone = !fault && !full && !disturbance.pair && disturbance.in == Stream::usual &&
                    disturbance.out != Stream::closed && disturbance.err == Stream::usual;
  const int expected = fault ? disturbance.error : full ? ENOSPC : 0;
  if (lone && end.exit_code != 0) say(code + " without a fault" + words);
  if (full && end.exit_code == 0) say("exit 0, and /dev/full took its output");
  if (disturbance.pair && end.exit_code != 0 &&
      end.errors.find("in use by another") == std::string::npos &&
      end.errors.find("already") == std::string::npos) {
    say(code + words);
  }
  if (expected != 0 && disturbance.err == Stream::usual) {
    const bool said = has_words(end, expected);
    const bool error_line = end.errors.starts_with("rooflab: error: ") ||
                            end.errors.find("\nrooflab: error: ") != std::string::npos;
    if (end.exit_code >= 2 && !error_line) say(code + " without `rooflab: error:`" + words);
    if (end.exit_code != 0 && !said) {
      say(code + " without the words '" + std::strerror(expected) + "'" + words);
    }
    if (end.exit_code == 0 && !(said && scenario_.failed_cases)) {
      for (const std::string& place : differences(place_.state())) {
        // What was not removed is there, and a later run removes it.
        if (hits_removal(hit) && place.ends_with(is_too_much)) continue;
        say("exit 0, but " + place + words);
      }
    }
  }
  if (fault && hits_removal(hit)) {
    removal_failed_ = true;
    return;
  }
  for (const std::string& name : leftovers()) {
    if (!before_.contains(name)) say("left behind: " + name);
  }
}

bool Trial::hits_removal(const std::vector<Call>& hit) const {
  return std::ranges::any_of(hit, [this](const Call& call) {
    if (call.kind == "remove" || call.kind == "list" || call.kind == "stat") return true;
    return std::ranges::any_of(before_, [&call](const std::string& leftover) {
      return call.path.find("/" + std::string(outermost(leftover))) != std::string::npos;
    });
  });
}

void Trial::judge_state(const sandbox::FolderState& state) {
  for (const std::string& name : sandbox::half_written(state)) say("written by half: " + name);
  for (const auto& [name, content] : finished_) {
    const auto now = state.find(name);
    if (now == state.end()) {
      say("finished and lost: " + name);
    } else if (now->second != content) {
      say("finished and done again: " + name);
    }
  }
  if (scenario_.finished.empty()) return;
  const std::regex finished(scenario_.finished);
  for (const auto& [name, content] : state) {
    const bool failed = content.find("\"failed\"") != std::string::npos ||
                        content.find("\"crashed\"") != std::string::npos ||
                        content.find("\"reason\":\"") != std::string::npos;
    if (std::regex_match(name, finished) && !failed) finished_.emplace(name, content);
  }
}

std::set<std::string> Trial::leftovers() const {
  std::set<std::string> found;
  for (const auto& [name, content] : place_.temporary())
    found.insert(std::string(in_temporary) + name);
  for (const std::string& name : sandbox::temporary_files(place_.state())) found.insert(name);
  return found;
}

std::vector<std::string> Trial::differences(const sandbox::FolderState& state) const {
  std::vector<std::string> found = reference_.differences(state);
  if (!scenario_.changes.empty()) {
    const std::regex changes(scenario_.changes);
    std::erase_if(found,
                  [&](const std::string& place) { return std::regex_search(place, changes); });
  }
  return found;
}

void Trial::judge_last_run() {
  now_ = "continued";
  const ChildEnd end = place_.run(scenario_, scenario_.again, {});
  if (end.exit_code != 0) {
    say("exit " + std::to_string(end.exit_code) + ": " + last_words(end.errors));
  }
  const sandbox::FolderState state = place_.state();
  for (const std::string& place : differences(state)) {
    if (!removal_failed_ || !is_lock_left(place)) say(place);
  }
  judge_state(state);
  for (const auto& [name, content] : place_.temporary()) say("TMPDIR still has " + name);
  for (const std::string& left : sandbox::end_orphans(patience)) say("runs on: " + left);
}

std::vector<std::string> Trial::problems(const std::vector<Disturbance>& runs) {
  problems_.clear();
  finished_.clear();
  removal_failed_ = false;
  place_.prepare(scenario_);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    now_ = to_text(runs[i]);
    before_ = leftovers();
    const ChildEnd end = place_.run(scenario_, i == 0 ? scenario_.words : scenario_.again, runs[i]);
    for (const Call& call : place_.calls()) {
      if (runs[i].call) now_ += " (" + call.kind + " " + call.path + " by " + call.program + ")";
      break;
    }
    for (const std::string& left : sandbox::end_orphans(patience)) say("runs on: " + left);
    judge_end(runs[i], end);
    judge_state(place_.state());
  }
  judge_last_run();
  return problems_;
}

}  // namespace faults
