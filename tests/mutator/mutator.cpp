// Damages files that the program reads, runs the program on them, and looks at how it ends.
//
//   rooflab_mutator --program build/ci/bin/rooflab --workers build/ci/tests/workers --seconds 600
//
// A run must end with an exit code of 0 to 3, within the limits of time and memory, with
// `rooflab: error:` where the code says that the input is wrong, and without control characters.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>

#include "command_line.hpp"
#include "sandbox/worker_folder.hpp"
#include "specimen.hpp"

namespace {

using namespace mutator;

class Mutator {
 public:
  explicit Mutator(CommandLine line) : line_(std::move(line)), subjects_(chosen_subjects(line_)) {
    sandbox::make_worker_folder(line_.folder / "workers", line_.workers);
  }
  ~Mutator() {
    std::error_code ignored;
    if (line_.own_folder) std::filesystem::remove_all(line_.folder, ignored);
  }
  Mutator(const Mutator&) = delete;
  Mutator& operator=(const Mutator&) = delete;

  int run() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(line_.seconds);
    long run = line_.first;
    for (; line_.seconds > 0 ? std::chrono::steady_clock::now() < end
                             : run < line_.first + line_.runs;
         ++run) {
      try_out(run);
    }
    std::printf("%ld runs: %d failed\n", run - line_.first, failed_);
    return failed_ == 0 ? 0 : 1;
  }

 private:
  /// Run N takes the N-th subject in turn, and is the same whichever runs came before it.
  void try_out(long run) {
    const auto index = static_cast<std::size_t>(run) % subjects_.size();
    Specimen& specimen = at(index);
    RandomSource random(line_.seed * 1'000'003 + static_cast<std::uint64_t>(run));
    const Attempt attempt = specimen.attempt(random);
    (void)sandbox::end_orphans(std::chrono::seconds(20));
    if (attempt.problems.empty()) return;
    ++failed_;
    std::printf("FAILED %s, run %ld: rooflab", specimen.subject().name.c_str(), run);
    for (const std::string& word : attempt.words) std::printf(" %s", word.c_str());
    std::printf("\n");
    for (const std::string& problem : attempt.problems) std::printf("    %s\n", problem.c_str());
    std::printf(
        "  again: rooflab_mutator --program '%s' --workers '%s'%s --seed %llu --first %ld --runs "
        "1\n",
        line_.program.c_str(), line_.workers.c_str(),
        line_.only.empty() ? "" : (" --only " + line_.only).c_str(),
        static_cast<unsigned long long>(line_.seed), run);
    if (!line_.keep.empty()) {
      const auto folder = line_.keep / (specimen.subject().name + "-" + std::to_string(run));
      specimen.keep(folder, attempt);
      std::printf("  input: %s\n", folder.c_str());
    }
    std::fflush(stdout);
  }

  /// A specimen is made when it is first needed.
  Specimen& at(std::size_t index) {
    std::unique_ptr<Specimen>& specimen = specimens_[index];
    if (!specimen) {
      const Subject& subject = subjects_[index];
      specimen = std::make_unique<Specimen>(subject, line_.program, line_.folder / "workers",
                                            line_.folder / subject.name, line_.limits);
    }
    return *specimen;
  }

  CommandLine line_;
  std::vector<Subject> subjects_;
  std::map<std::size_t, std::unique_ptr<Specimen>> specimens_;
  int failed_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  CommandLine line;
  try {
    line = read_command_line(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rooflab_mutator: %s\n%s", error.what(), mutator::usage);
    return 2;
  }
  try {
    sandbox::adopt_orphans();
    return Mutator(std::move(line)).run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rooflab_mutator: %s\n", error.what());
    return 2;
  }
}
