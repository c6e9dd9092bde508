#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "console.hpp"
#include "rooflab/device/catalog.hpp"
#include "study/joint_results.hpp"
#include "study/plan.hpp"
#include "study/study.hpp"
#include "study/study_origin.hpp"

namespace rooflab::cli {

/// A study file, read and planned.
struct LoadedStudy {
  study::Study study;
  std::vector<study::PlannedCase> plan;
  std::filesystem::path folder;
  study::StudyOrigin origin;  ///< origin of the results; their folder's when they are there
};

/// Reads a study whose results go into a folder of `output`, and plans it for a machine without
/// workers. Throws Error (input) for a wrong file, Error (usage) for a wrong variable.
[[nodiscard]] LoadedStudy load_study(const std::string& file, const study::Variables& given,
                                     const std::filesystem::path& output,
                                     const device::Catalog& catalog);

/// This machine, looked at once, and only for plans that depend on it: the workers take longer to
/// describe it than many predictions do.
class MachineHere {
 public:
  explicit MachineHere(const device::Catalog& catalog) : catalog_(catalog) {}

  [[nodiscard]] std::optional<study::Machine> for_plan(std::span<const study::PlannedCase> plan);

 private:
  const device::Catalog& catalog_;
  std::optional<study::Machine> known_;
};

/// Plans the cases for the machine that the results are of.
void plan_for_machine(LoadedStudy& loaded, const device::Catalog& catalog);
/// Plans them, and identifies the files that they read.
void plan_for_origin(LoadedStudy& loaded, const device::Catalog& catalog);

/// Results of every machine in the study's folder, with the plan of that machine. What a machine
/// could not run for a while is predicted in the same folder.
[[nodiscard]] std::vector<study::MachineResults> results_in(const LoadedStudy& loaded,
                                                            const device::Catalog& catalog);

/// Says whose results the page is of, if they are of several machines.
void say_machines(const LoadedStudy& loaded, const Console& console);

}  // namespace rooflab::cli
