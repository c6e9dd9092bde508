#include "specimen.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "byte_mutation.hpp"
#include "json_mutation.hpp"

namespace mutator {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_file = 2'000'000;

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::istringstream stream(command);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string source_file(const std::string& name) {
  if (name.empty()) return {};
  std::ifstream file(std::string(ROOFLAB_SOURCE_DIR) + "/" + name, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Specimen::Specimen(Subject subject, fs::path program, fs::path workers, fs::path folder,
                   Limits limits)
    : subject_(std::move(subject)),
      program_(std::move(program)),
      workers_(std::move(workers)),
      folder_(std::move(folder)),
      limits_(limits) {
  make_files();
  const std::regex damaged(subject_.damaged);
  for (const auto& [name, content] : sound_) {
    if (std::regex_match(name, damaged)) damaged_.push_back(name);
  }
  if (damaged_.empty()) throw std::runtime_error(subject_.name + " has no file to damage");
}

void Specimen::make_files() {
  for (const char* const name : {"here", "tmp", "out"}) sandbox::write_folder(folder_ / name, {});
  for (const auto& [name, words] : subject_.said_by_worker) {
    sound_[name] = run(workers_ / "rooflab-torch", words_of(words)).output;
  }
  for (const auto& [name, source] : subject_.files) sound_[name] = source_file(source);
  sandbox::write_folder(folder_ / "here", sound_);
  for (const std::string& command : subject_.made_by) {
    const sandbox::ChildEnd end = run(program_, words_of(command));
    if (end.exit_code > 1) {  // 1: a worker was killed on purpose, and what it measured is there
      throw std::runtime_error(subject_.name + ": rooflab " + command + ": exit " +
                               std::to_string(end.exit_code) + "\n" + end.output + end.errors);
    }
  }
  sound_ = sandbox::read_folder(folder_ / "here");
}

sandbox::ChildEnd Specimen::run(const fs::path& program,
                                const std::vector<std::string>& words) const {
  const fs::path own_workers = folder_ / "here/workers";
  sandbox::ChildRequest request;
  request.command = {program.string()};
  request.command.insert(request.command.end(), words.begin(), words.end());
  request.folder = folder_ / "here";
  request.output = folder_ / "out";
  request.environment = {{"TMPDIR", folder_ / "tmp"},
                         {"ROOFLAB_WORKERS", fs::exists(own_workers) ? own_workers : workers_}};
  for (const auto& [name, value] : subject_.environment) request.environment[name] = value;
  request.limit = limits_.processor * 15;
  request.processor_limit = limits_.processor;
  request.memory_limit = limits_.address_bytes;
  return sandbox::run(std::move(request));
}

void Specimen::damage(const std::string& file, RandomSource& random) {
  std::string& content = now_[file];
  const std::string& other = sound_.at(random.any_of(damaged_));
  const std::size_t times = 1 + random.below(random.one_in(3) ? 8 : 2);
  for (std::size_t i = 0; i < times; ++i) {
    // What is still JSON after its structure was changed gets further than what is not.
    if (content.size() > largest_file) content.resize(largest_file);
    const std::size_t how = random.below(10);
    if (how < 6 && damage_json(content, random)) continue;
    if (how < 8) {
      damage_text(content, random);
    } else {
      damage_bytes(content, other, random);
    }
  }
}

Attempt Specimen::attempt(RandomSource& random) {
  Attempt attempt;
  now_ = sound_;
  attempt.file = random.any_of(damaged_);
  damage(attempt.file, random);
  sandbox::write_folder(folder_ / "here", now_);
  for (const auto& [name, content] : now_) {
    if (name == "workers/rooflab-torch") {
      fs::permissions(folder_ / "here" / name, fs::perms::owner_all);
    }
  }
  attempt.words = words_of(random.any_of(subject_.commands));
  std::ranges::replace(attempt.words, "@", attempt.file);
  const sandbox::ChildEnd end = run(program_, attempt.words);
  const auto format = std::ranges::find(attempt.words, "--format");
  const bool json =
      format != attempt.words.end() && format + 1 != attempt.words.end() && *(format + 1) == "json";
  attempt.problems = problems_of(end, json, limits_);
  const sandbox::FolderState after = sandbox::read_folder(folder_ / "here");
  for (const std::string& name : sandbox::half_written(after)) {
    const bool copied = now_.contains(name) || after.at(name) == now_.at(attempt.file);
    if (!copied) attempt.problems.push_back("wrote " + name + ", which is broken");
  }
  return attempt;
}

void Specimen::keep(const fs::path& folder, const Attempt& attempt) const {
  sandbox::write_folder(folder, now_);
  std::ofstream command(folder / "COMMAND");
  command << "rooflab";
  for (const std::string& word : attempt.words) command << " '" << word << '\'';
  command << "\n";
  for (const std::string& problem : attempt.problems) command << "# " << problem << '\n';
}

}  // namespace mutator
