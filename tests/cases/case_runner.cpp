// Runs text cases through the program and compares what it says.
//
//   case_runner [--bless] PROGRAM DATA_FOLDER FILE.test...
//
// A case file is made of blocks; each begins with a line of three dashes and a word:
//
//   Anything before the first block is a comment.
//   --- file net.graph          writes the lines below to a file in the case's own empty folder
//   --- $ rooflab summary x     a shell command; the blocks below say what is expected of it
//   --- exit 2                  its exit code, 0 where not said
//   --- stdout                  the text, nothing where not said
//   --- stderr
//
// In an expected text a line that is only `...` stands for any lines, and `...` within a line for
// any characters. Blank lines at the end of a block do not count. The shell finds PROGRAM as
// `rooflab` and DATA_FOLDER as $DATA; files that one command writes are there for the next. Text
// has 1000 columns unless the command sets COLUMNS.
//
// JSON that the program writes, on stdout or into files, must have keys of its vocabulary alone.
//
// With --bless an expected block that does not match is replaced by what the program said; blocks
// that match, wildcards included, stay as they are.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "json_keys.hpp"

namespace {

namespace fs = std::filesystem;

struct Block {
  std::string head;  // after the dashes: `$ rooflab models`, `stdout`; empty for the comment
  std::vector<std::string> lines;
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path.string());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<Block> parse(const std::string& text) {
  std::vector<Block> blocks(1);
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("--- ")) {
      blocks.push_back({line.substr(4), {}});
    } else {
      blocks.back().lines.push_back(line);
    }
  }
  return blocks;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<std::string> without_blank_end(std::vector<std::string> lines) {
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

bool line_matches(std::string_view expected, std::string_view actual) {
  const std::size_t gap = expected.find("...");
  if (gap == std::string_view::npos) return expected == actual;
  if (!actual.starts_with(expected.substr(0, gap))) return false;
  const std::string_view rest = expected.substr(gap + 3);
  for (std::size_t from = gap; from <= actual.size(); ++from) {
    if (line_matches(rest, actual.substr(from))) return true;
  }
  return false;
}

bool lines_match(const std::vector<std::string>& expected, std::size_t e,
                 const std::vector<std::string>& actual, std::size_t a) {
  if (e == expected.size()) return a == actual.size();
  if (expected[e] == "...") {
    for (std::size_t from = a; from <= actual.size(); ++from) {
      if (lines_match(expected, e + 1, actual, from)) return true;
    }
    return false;
  }
  return a < actual.size() && line_matches(expected[e], actual[a]) &&
         lines_match(expected, e + 1, actual, a + 1);
}

class CaseFile {
 public:
  CaseFile(fs::path path, bool bless)
      : path_(std::move(path)), bless_(bless), blocks_(parse(read(path_))) {}

  /// Differences found; blessed ones are written back.
  int run() {
    const fs::path folder =
        fs::temp_directory_path() / ("rooflab-case-" + std::to_string(::getpid()));
    fs::remove_all(folder);
    fs::create_directories(folder / "cwd");
    int commands = 0;
    for (std::size_t at = 1; at < blocks_.size();) {
      const Block block = blocks_[at];
      if (block.head.starts_with("file ")) {
        std::ofstream(folder / "cwd" / block.head.substr(5))
            << joined(without_blank_end(block.lines));
        ++at;
      } else if (block.head.starts_with("$ ")) {
        at = run_command(folder, at);
        ++commands;
      } else {
        throw std::runtime_error(path_.string() + ": '--- " + block.head +
                                 "' belongs to no command");
      }
    }
    fs::remove_all(folder);
    if (commands == 0) throw std::runtime_error(path_.string() + ": no command in it");
    if (bless_ && differences_ > 0) write_back();
    return differences_;
  }

 private:
  /// Runs the command at `at` and returns the index after its expectations.
  std::size_t run_command(const fs::path& folder, std::size_t at) {
    const std::string command = blocks_[at].head.substr(2);
    std::ofstream(folder / "command.sh") << command << "\n";
    const std::string quoted = "'" + folder.string() + "'";
    const int status = std::system(
        ("cd " + quoted + "/cwd && sh ../command.sh >../stdout 2>../stderr </dev/null").c_str());
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);

    std::size_t next = at + 1;
    Block exit_block{"exit 0", {}};
    Block stdout_block{"stdout", {}};
    Block stderr_block{"stderr", {}};
    for (; next < blocks_.size(); ++next) {
      const std::string& head = blocks_[next].head;
      if (head.starts_with("exit ")) {
        exit_block = blocks_[next];
      } else if (head == "stdout") {
        stdout_block = blocks_[next];
      } else if (head == "stderr") {
        stderr_block = blocks_[next];
      } else {
        break;
      }
    }

    const std::string actual_exit = "exit " + std::to_string(code);
    if (exit_block.head != actual_exit) {
      report(command, "exit", {exit_block.head}, {actual_exit});
      exit_block.head = actual_exit;
    }
    compare(command, stdout_block, lines_of(read(folder / "stdout")));
    compare(command, stderr_block, lines_of(read(folder / "stderr")));
    check_keys(command, "stdout", folder / "stdout");
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder / "cwd")) {
      if (entry.path().extension() != ".json") continue;
      fs::file_time_type& read_at = read_at_[entry.path()];
      if (read_at == entry.last_write_time()) continue;  // an earlier command wrote it
      read_at = entry.last_write_time();
      check_keys(command, entry.path().filename().string(), entry.path());
    }

    std::vector<Block> expectations;
    if (exit_block.head != "exit 0") expectations.push_back(exit_block);
    if (!stdout_block.lines.empty()) expectations.push_back(stdout_block);
    if (!stderr_block.lines.empty()) expectations.push_back(stderr_block);
    if (!expectations.empty() && next < blocks_.size()) {
      std::vector<std::string>& last = expectations.back().lines;
      if (last.empty() || !last.back().empty()) last.emplace_back();
    }
    const auto begin = blocks_.begin() + static_cast<std::ptrdiff_t>(at) + 1;
    const auto rest = blocks_.erase(begin, blocks_.begin() + static_cast<std::ptrdiff_t>(next));
    blocks_.insert(rest, expectations.begin(), expectations.end());
    return at + 1 + expectations.size();
  }

  void compare(const std::string& command, Block& expected, std::vector<std::string> actual) {
    actual = without_blank_end(std::move(actual));
    const std::vector<std::string> wanted = without_blank_end(expected.lines);
    if (lines_match(wanted, 0, actual, 0)) return;
    report(command, expected.head, wanted, actual);
    for (const std::string& line : actual) {
      if (bless_ && line.starts_with("--- ")) {
        throw std::runtime_error(path_.string() + ": a line of the output looks like a block");
      }
    }
    actual.resize(actual.size() + expected.lines.size() - wanted.size());  // its blank end
    expected.lines = std::move(actual);
  }

  /// Every key of what the program wrote is a word of its vocabulary.
  void check_keys(const std::string& command, const std::string& what, const fs::path& file) {
    const std::vector<std::string> unknown = unknown_keys(read(file));
    if (!unknown.empty()) report(command, what, {"keys of docs/formats"}, unknown);
  }

  void report(const std::string& command, const std::string& what,
              const std::vector<std::string>& expected, const std::vector<std::string>& actual) {
    ++differences_;
    std::cout << path_.string() << ": $ " << command << "\n"
              << what << " differs; expected:\n"
              << joined(expected) << "but it is:\n"
              << joined(actual) << std::endl;
  }

  void write_back() const {
    std::ofstream file(path_);
    for (const Block& block : blocks_) {
      if (!block.head.empty()) file << "--- " << block.head << "\n";
      file << joined(block.lines);
    }
    std::cout << "blessed " << path_.string() << std::endl;
  }

  fs::path path_;
  bool bless_;
  std::vector<Block> blocks_;
  int differences_ = 0;
  std::map<fs::path, fs::file_time_type> read_at_;  ///< JSON files of the case's folder
};

/// Equal surroundings on every machine: no colour, no terminal, no locale.
void set_environment(const fs::path& program, const fs::path& data) {
  const char* path = std::getenv("PATH");
  ::setenv("PATH", (program.parent_path().string() + ":" + (path ? path : "/usr/bin:/bin")).c_str(),
           1);
  ::setenv("DATA", data.c_str(), 1);
  ::setenv("LC_ALL", "C.UTF-8", 1);
  ::setenv("TERM", "dumb", 1);
  // Room for everything; cases about narrow terminals say how narrow.
  ::setenv("COLUMNS", "1000", 1);
  ::unsetenv("NO_COLOR");
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool bless = !arguments.empty() && arguments[0] == "--bless";
  if (bless) arguments.erase(arguments.begin());
  if (arguments.size() < 3) {
    std::cerr << "usage: case_runner [--bless] PROGRAM DATA_FOLDER FILE.test...\n";
    return 2;
  }
  try {
    set_environment(fs::absolute(arguments[0]), fs::absolute(arguments[1]));
    int differences = 0;
    for (std::size_t i = 2; i < arguments.size(); ++i) {
      differences += CaseFile(arguments[i], bless).run();
    }
    return differences == 0 || bless ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "case_runner: " << error.what() << "\n";
    return 2;
  }
}
