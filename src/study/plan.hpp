#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/parameter.hpp"
#include "rooflab/device/catalog.hpp"
#include "study.hpp"

namespace rooflab::study {

/// A GPU that is here.
struct LocalGpu {
  std::string name;        ///< `cuda:0`
  std::string model;       ///< its own name: `NVIDIA H200`
  std::string catalog_id;  ///< `h200-sxm`; empty: no device file describes it

  friend bool operator==(const LocalGpu&, const LocalGpu&) = default;
};
[[nodiscard]] std::span<const Field> fields_of(For<LocalGpu>);

/// What this machine is and can do.
struct Machine {
  std::string cpu{};  ///< model of its processors; empty: not known
  bool torch_worker = false;
  bool probe_worker = false;
  bool counters = false;  ///< the torch worker counts through CUPTI, and profile works
  std::vector<LocalGpu> gpus;

  friend bool operator==(const Machine&, const Machine&) = default;
};
[[nodiscard]] std::span<const Field> fields_of(For<Machine>);
/// The models of its GPUs, `NVIDIA H200`; without any that of its processors.
[[nodiscard]] std::string machine_name(const Machine& machine);
/// Whether times of both may stand for each other: GPUs of the same models, and the same
/// processors where both are known. How many GPUs there are, and what can be counted, may differ.
[[nodiscard]] bool is_same_hardware(const Machine& a, const Machine& b);

/// A case of a study: what is asked for, and what this machine does about it.
struct PlannedCase {
  std::string id;  ///< a file name: `training-resnet18-v100-b1-predict`; unique in the study
  std::string group;
  Mode asked = Mode::predict;
  Mode mode = Mode::predict;  ///< what is run: `predict` where the device is not here
  /// All that tells it apart, `group` among them and `mode`: what is run, and `predict` too where
  /// fit and partition have no device to measure on. `device` is the
  /// catalog's id, `cpu` or `cuda:0`; `named` the study's word for it.
  Attributes attributes;
  GivenWords request;              ///< keys: those of the request's members
  std::vector<std::string> words;  ///< command line after `rooflab`, without outputs
  /// Where training, scaling and searching keep what they can be taken up from, in the study's
  /// folder: `runs/ID-1f00aa7e`, of other words another; empty: it keeps nothing.
  std::string kept;
  std::string file;   ///< that it reads; empty: none
  std::string input;  ///< its hash, by identify_inputs(): of other contents it is another case
  std::vector<std::string> trained;  ///< `evaluate`: what the cases keep whose models it takes
  std::string note;                  ///< why it is not what was asked for; may be empty
  std::string skipped;               ///< why nothing can be run; empty: it runs
};
[[nodiscard]] std::span<const Field> fields_of(For<PlannedCase>);

/// Whether what is run is what was asked for, and no prediction in its place.
[[nodiscard]] bool is_as_asked(const PlannedCase& planned);
/// Whether another machine would give other figures: not so of counts, predictions and logs.
[[nodiscard]] bool is_of_machine(const PlannedCase& planned);

/// Puts the catalog's ids in place of the devices' names in the published rows and in the `where`
/// of tables and charts, so that they meet the plan's. What the catalog does not know stays.
void name_devices(Study& study, const device::Catalog& catalog);

/// All cases in the order of the file. Of devices the words `gpu` (the first here), `here` (that,
/// or the CPU), `cpu` and `cuda:N` are those of this machine, others the catalog's. A case of a
/// device that is not here is predicted instead; two of a group that nothing tells apart are one.
/// Throws Error (input) at the study's line for models, devices and files that do not exist, and
/// for values that cannot be.
[[nodiscard]] std::vector<PlannedCase> plan_study(const Study& study, const Machine& machine,
                                                  const device::Catalog& catalog);

/// Whether another machine could make another plan: false where all cases are predicted for devices
/// by their names, counted or imported. `plan` is that for a machine without anything.
[[nodiscard]] bool depends_on_machine(std::span<const PlannedCase> plan);

/// Reads the files of the cases, each once. Throws Error (input).
void identify_inputs(std::span<PlannedCase> plan);

/// The command line of a case: `rooflab predict resnet18 --device t4`.
[[nodiscard]] std::string command_of(const PlannedCase& planned);

}  // namespace rooflab::study
