#include "loaded_study.hpp"

#include "base/format.hpp"
#include "rooflab/system/file.hpp"
#include "study/machine_folders.hpp"
#include "study/study_folder.hpp"
#include "study_machine.hpp"

namespace rooflab::cli {

namespace fs = std::filesystem;

LoadedStudy load_study(const std::string& file, const study::Variables& given,
                       const fs::path& output, const device::Catalog& catalog) {
  LoadedStudy loaded;
  loaded.study = study::read_study(read_file(file), file, given);
  study::name_devices(loaded.study, catalog);
  loaded.plan = study::plan_study(loaded.study, study::Machine(), catalog);
  loaded.folder = output / fs::path(file).stem();
  loaded.origin.title = loaded.study.title;
  return loaded;
}

std::optional<study::Machine> MachineHere::for_plan(std::span<const study::PlannedCase> plan) {
  if (!study::depends_on_machine(plan)) return std::nullopt;
  if (!known_) known_ = study_machine(catalog_);
  return known_;
}

void plan_for_machine(LoadedStudy& loaded, const device::Catalog& catalog) {
  if (!loaded.origin.machine) return;
  loaded.plan = study::plan_study(loaded.study, *loaded.origin.machine, catalog);
}
void plan_for_origin(LoadedStudy& loaded, const device::Catalog& catalog) {
  plan_for_machine(loaded, catalog);
  study::identify_inputs(loaded.plan);
}

std::vector<study::MachineResults> results_in(const LoadedStudy& loaded,
                                              const device::Catalog& catalog) {
  std::vector<study::MachineResults> all;
  MachineHere here(catalog);
  const auto add = [&](const fs::path& folder, const study::Machine& machine) {
    all.push_back(
        {study::machine_name(machine), folder, study::plan_study(loaded.study, machine, catalog)});
    study::identify_inputs(all.back().plan);
  };
  for (const fs::path& folder : study::machine_folders(loaded.folder)) {
    std::optional<study::Machine> machine = study::read_origin(folder, loaded.study.title).machine;
    // What older folders do not say is taken from here.
    if (!machine) machine = loaded.origin.machine;
    if (!machine) machine = here.for_plan(loaded.plan);
    if (!machine) machine = study::Machine();
    add(folder, *machine);
    study::Machine closed = *machine;
    closed.torch_worker = closed.probe_worker = closed.counters = false;
    if (closed != *machine) add(folder, closed);
  }
  return all;
}

void say_machines(const LoadedStudy& loaded, const Console& console) {
  std::vector<std::string> names;
  for (const fs::path& folder : study::machine_folders(loaded.folder)) {
    const std::optional<study::Machine> machine = study::read_origin(folder).machine;
    names.push_back(machine ? study::machine_name(*machine) : "unknown");
  }
  if (names.size() < 2) return;
  console.say(format("{}: results of {} machines: {}", loaded.study.file.string(), names.size(),
                     join(names, "; ")));
}

}  // namespace rooflab::cli
