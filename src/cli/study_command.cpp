#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>

#include "base/format.hpp"
#include "commands.hpp"
#include "describe/parameter_list.hpp"
#include "describe/schema.hpp"
#include "interrupt.hpp"
#include "loaded_study.hpp"
#include "output_choice.hpp"
#include "page/row_table.hpp"
#include "plotly_bundle.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/page/document.hpp"
#include "rooflab/system/file.hpp"
#include "rooflab/task/device_choice.hpp"
#include "shard_choice.hpp"
#include "study/machine_folders.hpp"
#include "study/page_folder.hpp"
#include "study/run.hpp"
#include "study/study_folder.hpp"
#include "study/study_page.hpp"
#include "system/path_status.hpp"
#include "task/list_clock.hpp"

namespace rooflab::cli {
namespace {

namespace fs = std::filesystem;

constexpr FigureKey study_key = "study";
constexpr FigureKey cases_key = "cases";

/// A page has dozens of them: a line for all.
void say_beside(const fs::path& place, const study::SideFiles& beside, const Console& console) {
  const std::string summary = beside.summary();
  if (!summary.empty()) console.say(format("wrote {}: {}", place.string(), summary));
  if (!beside.missing_charts.empty()) console.say(beside.missing_charts);
}

enum class StudyAction { create, check, plan, run, page, merge };
constexpr auto names_in_order(For<StudyAction>) {
  return names_through<StudyAction::merge>("new", "check", "plan", "run", "page", "merge");
}

struct StudyCommand {
  StudyAction action = StudyAction::run;
  std::vector<std::string> files;
  fs::path output = "study-results";
  std::vector<std::string> set;
  std::vector<fs::path> from;
  task::CalibrationFiles calibrations;
  std::optional<ShardChoice> shard;
  bool again = false;
  std::optional<double> timeout;
  bool dry_run = false;
  bool strict = false;
  TextFormat plan_format = TextFormat::table;

  [[nodiscard]] std::string command_line() const;
  void run(Terminal& terminal) const {
    check_folder_name("-o", output);
    switch (action) {
      case StudyAction::create:
        return make(terminal);
      case StudyAction::check:
        return check(terminal);
      case StudyAction::plan:
        return plan(terminal);
      case StudyAction::run:
        return dry_run ? plan(terminal) : run_all(terminal);
      case StudyAction::page:
        return write_pages(terminal);
      case StudyAction::merge:
        return merge(terminal);
    }
  }

 private:
  void make(const Terminal& terminal) const {
    for (const std::string& file : files) {
      if (is_there(file)) {
        throw Error(ErrorKind::usage, format("'{}' is there already", file),
                    "rooflab study new writes new files only");
      }
    }
    for (const std::string& file : files) {
      write_file_atomically(file, study::starter());
      terminal.console.say(
          format("wrote {}; next: {}", file, shell_line({"rooflab", "study", "run", file})));
    }
  }

  /// Names of models and devices too; the machine does not matter for these.
  void check(const Terminal& terminal) const {
    for (const LoadedStudy& loaded : load_all(device::Catalog::built_in())) {
      const std::size_t hypotheses = loaded.study.hypotheses.size();
      terminal.console.print(format("{}: good: {}, {} hypothes{}s, {}\n",
                                    loaded.study.file.string(), plural(loaded.plan.size(), "case"),
                                    hypotheses, hypotheses == 1 ? "i" : "e",
                                    plural(loaded.study.published.size(), "published row")));
    }
  }

  void plan(const Terminal& terminal) const {
    const device::Catalog catalog = device::Catalog::built_in();
    MachineHere here(catalog);
    page::Document document;
    Json cases = Json::array();
    for (LoadedStudy& loaded : load_all(catalog)) {
      loaded.origin.machine = here.for_plan(loaded.plan);
      plan_for_machine(loaded, catalog);
      for (const study::PlannedCase& planned : loaded.plan) {
        cases.push_back({{study_key.key(), loaded.study.file.string()}});
        cases.back().update(to_json(planned));
      }
      page::Table& table = document.tables.emplace_back(page::table_of<study::PlannedCase>(
          loaded.plan, page::columns_of(page::titled("id", "case"),
                                        page::shrinking(page::titled("command_line", "command")),
                                        page::shrinking("note"))));
      table.title = loaded.study.title;
      for (std::size_t i = 0; i < loaded.plan.size(); ++i) {
        const std::string& skipped = loaded.plan[i].skipped;
        if (!skipped.empty()) page::cell_at(table, i, "note") = format("left out: {}", skipped);
      }
    }
    document.json = command_json("study plan", {{cases_key.key(), std::move(cases)}});
    terminal.console.print(page::render(document, static_cast<page::Format>(plan_format),
                                        terminal.console.style_on_stdout()));
  }

  void run_all(Terminal& terminal) const {
    // Everything that can be wrong is said before anything runs.
    const device::Catalog catalog = device::Catalog::built_in();
    std::vector<LoadedStudy> studies = load_all(catalog);
    MachineHere here(catalog);
    for (LoadedStudy& each : studies) {
      each.origin.machine = here.for_plan(each.plan);
      take_from(each);
      each.origin.command = command_for(each);
      plan_for_origin(each, catalog);
    }

    // Each case is a separate process and a file; what is there already stays.
    watch_interrupts();
    bool all_well = true;
    bool any_failed = false;
    for (LoadedStudy& each : studies) {
      const study::StudyRun run =
          study::run_study(each.plan, options_here(each, catalog, terminal.console));
      terminal.console.clear_progress();
      terminal.console.say(format("{}: {} run, {} {} there already", each.study.file.string(),
                                  plural(run.ran.size(), "case"), run.found,
                                  run.found == 1 ? "was" : "were"));
      const std::string file = each.study.file.string();
      all_well = write_page(each, catalog, terminal) && all_well;
      if (run.failed > 0) {
        any_failed = true;
        terminal.console.say(
            format("{}: {} failed{}: {}; {} runs {} once more", file, plural(run.failed, "case"),
                   run.failed == 1 ? "" : ", the first", run.first_failure,
                   flag_of<&StudyCommand::again>(), run.failed == 1 ? "it" : "them"));
      }
      if (!run.stopped) continue;
      terminal.console.say("stopped: the same command goes on where this ended");
      terminal.exit_code = interrupt_exit_code();
      return;
    }
    if (any_failed || (strict && !all_well)) terminal.exit_code = 1;
  }

  /// Where this machine's results go, and what others have run that it does not predict instead.
  [[nodiscard]] study::StudyRunOptions options_here(const LoadedStudy& loaded,
                                                    const device::Catalog& catalog,
                                                    const Console& console) const {
    study::StudyRunOptions options = run_options(loaded, console);
    options.folder = study::folder_of_machine(loaded.folder, loaded.origin.machine);
    const std::vector<study::MachineResults> others = results_in(loaded, catalog);
    options.elsewhere = study::cases_run_elsewhere(loaded.plan, others);
    if (!options.elsewhere.empty()) {
      console.say(format("{} that this machine cannot run {} from another, or from before",
                         plural(options.elsewhere.size(), "case"),
                         options.elsewhere.size() == 1 ? "is there" : "are there"));
    }
    return options;
  }

  /// Writes pages of existing results. Nothing runs, so they may come from another machine.
  void write_pages(Terminal& terminal) const {
    const device::Catalog catalog = device::Catalog::built_in();
    std::vector<LoadedStudy> studies = load_all(catalog);
    for (LoadedStudy& each : studies) {
      take_from(each);
      say_machines(each, terminal.console);
      each.origin = study::read_origin(each.folder, each.study.title);
      if (each.origin.command.empty()) each.origin.command = command_for(each);
    }
    bool all_well = true;
    for (const LoadedStudy& each : studies) {
      all_well = write_page(each, catalog, terminal) && all_well;
    }
    if (strict && !all_well) terminal.exit_code = 1;
  }

  void merge(Terminal& terminal) const {
    if (files.size() < 2) {
      throw Error(ErrorKind::usage, "the shards' folders are missing",
                  "rooflab study merge study.toml shard-1/study shard-2/study -o DIR");
    }
    const device::Catalog catalog = device::Catalog::built_in();
    LoadedStudy loaded = load(files.front(), catalog);
    const std::vector<fs::path> shards(files.begin() + 1, files.end());
    study::take_results(shards, loaded.origin, loaded.folder, study::TwoRuns::are_refused);
    take_from(loaded);
    say_machines(loaded, terminal.console);
    loaded.origin = study::read_origin(loaded.folder, loaded.study.title);
    if (loaded.origin.command.empty()) loaded.origin.command = command_for(loaded);
    if (!write_page(loaded, catalog, terminal) && strict) terminal.exit_code = 1;
  }

  /// What is wrong in the files is said before the workers, or the folders, are asked for the
  /// machine.
  [[nodiscard]] std::vector<LoadedStudy> load_all(const device::Catalog& catalog) const {
    std::vector<LoadedStudy> studies;
    std::map<fs::path, std::string> folders;
    for (const std::string& file : files) {
      studies.push_back(load(file, catalog));
      const auto [first, is_new] = folders.emplace(studies.back().folder, file);
      if (is_new) continue;
      throw Error(ErrorKind::usage,
                  format("'{}' and '{}' would share a folder", first->second, file),
                  "rename one of the files");
    }
    return studies;
  }

  [[nodiscard]] LoadedStudy load(const std::string& file, const device::Catalog& catalog) const {
    return load_study(file, given_variables(), output, catalog);
  }

  /// The results of other folders, which then are in this study's too.
  void take_from(const LoadedStudy& loaded) const {
    if (from.empty()) return;
    study::take_results(from, {.title = loaded.study.title, .machine = {}, .command = {}},
                        loaded.folder, study::TwoRuns::take_newer);
  }

  [[nodiscard]] study::Variables given_variables() const {
    study::Variables given;
    for (const std::string& each : set) {
      const std::size_t equals = each.find('=');
      if (equals == std::string::npos || equals == 0) {
        throw Error(ErrorKind::usage,
                    format("{} takes NAME=VALUE, not '{}'", flag_of<&StudyCommand::set>(), each),
                    parameter_of<&StudyCommand::set>().example_hint());
      }
      given[each.substr(0, equals)] = each.substr(equals + 1);
    }
    return given;
  }

  [[nodiscard]] study::StudyRunOptions run_options(const LoadedStudy& loaded,
                                                   const Console& console) const {
    study::StudyRunOptions options;
    options.program = fs::read_symlink("/proc/self/exe");
    options.folder = loaded.folder;
    options.origin = loaded.origin;
    options.version = ROOFLAB_VERSION;
    if (shard) options.shard = shard->shard;
    options.again = again;
    options.timeout_s = timeout.value_or(0.0);
    options.should_stop = [] { return interrupted(); };
    options.on_progress = [&console](const study::StudyProgress& now) {
      if (now.running.empty()) return;
      console.show_progress(task::list_progress_line(now.done_share, "case", now.done, now.all,
                                                     now.left_s, now.running));
    };
    return options;
  }

  /// The command line that makes the whole of one page: without the other files, and of a shard
  /// that of all.
  [[nodiscard]] std::string command_for(const LoadedStudy& loaded) const {
    StudyCommand whole = *this;
    whole.shard.reset();
    if (action != StudyAction::merge) whole.files = {loaded.study.file.string()};
    return whole.command_line();
  }

  /// false: a case failed, or a hypothesis is not supported.
  bool write_page(const LoadedStudy& loaded, const device::Catalog& catalog,
                  const Terminal& terminal) const {
    const fs::path place = loaded.folder;
    study::StudyResults results =
        study::results_of(loaded.study, study::join_results(results_in(loaded, catalog)), catalog);
    const device::Catalog probed = calibrations.with_probed(catalog);
    study::read_reported(results, probed, calibrations.lookup(catalog));
    page::Document document = study::study_page(results, probed, loaded.origin.command);
    const study::SideFiles beside = study::side_files(document, ROOFLAB_VERSION);
    const std::vector<OutputFile> pages = {
        {place / "report.html", html_page(document)},
        {place / "report.md", page::render(document, page::Format::markdown)},
        {place / "report.json", page::render(document, page::Format::json)}};
    if (terminal.console.shows_results()) {
      terminal.console.print(page::render(study::study_summary(results), page::Format::table,
                                          terminal.console.style_on_stdout()));
    }
    study::remove_earlier_files(place, beside);
    write_files(pages, terminal.console);
    study::write_side_files(place, beside);
    say_beside(place, beside, terminal.console);
    const auto is_supported = [](const study::Verdict& verdict) {
      return verdict.result == study::Judgement::supported;
    };
    return results.failed() == 0 && std::ranges::all_of(results.verdicts, is_supported);
  }
};

/// What a flag of study is for.
Need with_action(std::vector<std::string> actions) {
  return {key_of<&StudyCommand::action>(), std::move(actions)};
}

const Parameters& parameters_of(For<StudyCommand>) {
  static const Need pages = with_action({"run", "page", "merge"});
  static const Need files_read = with_action({"check", "plan", "run", "page", "merge"});
  static const Need runs = with_action({"run"});
  static const Parameters all = {
      parameter<&StudyCommand::action>("ACTION", "what to do",
                                       {.positional = true, .required = true}),
      parameter<&StudyCommand::files>(
          "FILE...",
          "study files (their cases run commands: trust the author); for merge one study file, "
          "then the folders of the shards",
          {.example = "study.toml",
           .positional = true,
           .required = true,
           .whole_words = true,
           .completes = Completion::file}),
      parameter<&StudyCommand::output>(
          "DIR", "results go into DIR/NAME, NAME being the file's without .toml",
          {.letter = 'o', .needs = {pages}, .writes = true, .completes = Completion::folder}),
      parameter<&StudyCommand::set>(
          "NAME=VALUE", "another value for a variable of the study; may be repeated",
          {.example = "data=cifar10:/data/cifar", .needs = {files_read}, .whole_words = true}),
      parameter<&StudyCommand::from>(
          "DIR", "take the results of this folder too, of another machine, say; may be repeated",
          {.example = "v100/study",
           .needs = {pages},
           .whole_words = true,
           .completes = Completion::folder}),
      needing(pages, part<&StudyCommand::calibrations>()),
      needing(runs, {parameter<&StudyCommand::shard>(
                         "I/N", "run only every N-th case, from the I-th on", {.example = "1/4"}),
                     parameter<&StudyCommand::again>("run cases that failed once more"),
                     parameter<&StudyCommand::timeout>("S", "stop a case after S seconds",
                                                       {.example = "600"}),
                     parameter<&StudyCommand::dry_run>("with run: show the plan only")}),
      parameter<&StudyCommand::strict>(
          "exit 1 also when a hypothesis is not supported, or a page has a failed case",
          {.needs = {pages}}),
      parameter<&StudyCommand::plan_format>(
          "F", "format of the plan",
          {.key = "format", .needs = {with_action({"plan"}), {key_of<&StudyCommand::dry_run>()}}}),
  };
  return all;
}

std::string StudyCommand::command_line() const {
  std::vector<std::string> words = {"rooflab", "study"};
  for (std::string& word : words_of(*this)) words.push_back(std::move(word));
  return shell_line(words);
}

void run(const StudyCommand& command, Terminal& terminal) { command.run(terminal); }

}  // namespace

CommandSpec study_command() {
  return command<StudyCommand>(
      "study", "run the cases of a study file, judge its hypotheses, write one page", run);
}

}  // namespace rooflab::cli
