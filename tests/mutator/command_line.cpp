#include "command_line.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace mutator {
namespace fs = std::filesystem;

namespace {

fs::path new_folder() {
  std::string name = fs::temp_directory_path() / "test-of-mutator-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  return name;
}

}  // namespace

CommandLine read_command_line(int argc, char** argv) {
  CommandLine line;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--no-memory-limit") {
      line.limits.address_bytes = 0;
      line.limits.peak_bytes *= 4;
      line.limits.processor *= 4;
      continue;
    }
    if (i + 1 == argc) throw std::runtime_error(word + " is unknown or needs a value");
    const std::string value = argv[++i];
    if (word == "--program") {
      line.program = fs::absolute(value);
    } else if (word == "--workers") {
      line.workers = fs::absolute(value);
    } else if (word == "--seed") {
      line.seed = std::stoull(value);
    } else if (word == "--runs") {
      line.runs = std::stol(value);
    } else if (word == "--seconds") {
      line.seconds = std::stol(value);
    } else if (word == "--first") {
      line.first = std::stol(value);
    } else if (word == "--only") {
      line.only = value;
    } else if (word == "--keep") {
      line.keep = fs::absolute(value);
    } else if (word == "--folder") {
      line.folder = fs::absolute(value);
    } else {
      throw std::runtime_error("unknown word '" + word + "'");
    }
  }
  if (line.program.empty() || line.workers.empty()) {
    throw std::runtime_error("--program and --workers are needed");
  }
  line.own_folder = line.folder.empty();
  if (line.own_folder) line.folder = new_folder();
  return line;
}

std::vector<Subject> chosen_subjects(const CommandLine& line) {
  std::vector<Subject> all = all_subjects();
  if (line.only.empty()) return all;
  std::vector<Subject> found;
  std::istringstream names(line.only);
  for (std::string name; std::getline(names, name, ',');) {
    const auto each = std::ranges::find(all, name, &Subject::name);
    if (each == all.end()) throw std::runtime_error("no subject '" + name + "'");
    found.push_back(*each);
  }
  return found;
}

}  // namespace mutator
