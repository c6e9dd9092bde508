#include "command_line.hpp"

#include <cstdlib>
#include <stdexcept>

namespace faults {
namespace fs = std::filesystem;

namespace {

fs::path own_folder() {
  std::string name = fs::temp_directory_path() / "test-of-faults-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  return name;
}

int count_of(const std::string& text) {
  std::size_t end = 0;
  const int count = std::stoi(text, &end);
  if (end != text.size() || count < 0) throw std::runtime_error("not a count: " + text);
  return count;
}

}  // namespace

CommandLine read_command_line(int argc, char** argv) {
  CommandLine line;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&]() -> std::string {
      if (i + 1 == argc) throw std::runtime_error(word + " needs a value");
      return argv[++i];
    };
    if (word == "--program") {
      line.programs.rooflab = fs::absolute(value());
    } else if (word == "--workers") {
      line.programs.workers = fs::absolute(value());
    } else if (word == "--library") {
      line.programs.library = fs::absolute(value());
    } else if (word == "--seed") {
      line.seed = std::stoull(value());
    } else if (word == "--kills") {
      line.kills = count_of(value());
    } else if (word == "--faults") {
      const std::string count = value();
      line.every_fault = count == "all";
      if (!line.every_fault) line.faults = count_of(count);
    } else if (word == "--streams") {
      line.streams = true;
    } else if (word == "--quick") {
      line.kills = 5;
      line.faults = 20;
    } else if (word == "--only") {
      line.only = value();
    } else if (word == "--real") {
      line.group = Group::real;
    } else if (word == "--python") {
      line.group = Group::python;
      line.programs.python = fs::absolute(value());
    } else if (word == "--installed") {
      line.programs.installed = true;
    } else if (word == "--replay") {
      line.replay = value();
    } else if (word == "--folder") {
      line.folder = fs::absolute(value());
    } else if (word == "--list") {
      line.list = true;
    } else if (word == "--verbose") {
      line.verbose = true;
    } else {
      throw std::runtime_error("unknown word '" + word + "'");
    }
  }
  const Programs& programs = line.programs;
  if (programs.rooflab.empty() || programs.library.empty() ||
      programs.workers.empty() != programs.installed) {
    throw std::runtime_error("--program, --library and one of --workers, --installed are needed");
  }
  if (line.folder.empty()) line.folder = own_folder();
  return line;
}

}  // namespace faults
