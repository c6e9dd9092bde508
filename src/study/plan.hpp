#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/describe/parameter.hpp"
#include "rooflab/device/catalog.hpp"
#include "study.hpp"

namespace rooflab::study {

/// A GPU of this machine.
struct LocalGpu {
  std::string name;        ///< `cuda:0`
  std::string model;       ///< name that it reports: `NVIDIA H200`
  std::string catalog_id;  ///< `h200-sxm`; empty: no device file describes it

  friend bool operator==(const LocalGpu&, const LocalGpu&) = default;
};
[[nodiscard]] std::span<const Field> fields_of(For<LocalGpu>);

/// Hardware and capabilities of this machine.
struct Machine {
  std::string cpu{};  ///< model of its processors; empty: not known
  bool torch_worker = false;
  bool probe_worker = false;
  bool counters = false;  ///< the torch worker can count through CUPTI, and profile works
  std::vector<LocalGpu> gpus;

  friend bool operator==(const Machine&, const Machine&) = default;
};
[[nodiscard]] std::span<const Field> fields_of(For<Machine>);
/// Name of a machine: the models of its GPUs, `NVIDIA H200`, else the model of its processors.
[[nodiscard]] std::string machine_name(const Machine& machine);
/// Whether the times of two machines are interchangeable: GPUs of equal models, and equal
/// processors where both are known. The number of GPUs and the available counters may differ.
[[nodiscard]] bool is_same_hardware(const Machine& a, const Machine& b);

/// A case of a study: the request, and what this machine runs for it.
struct PlannedCase {
  std::string id;  ///< a file name: `training-resnet18-v100-b1-predict`; unique in the study
  std::string group;
  Mode asked = Mode::predict;
  Mode mode = Mode::predict;  ///< mode to run: `predict` where the device is not here
  /// All attributes that distinguish it, including `group` and `mode` (the mode to run, or
  /// `predict` where fit and partition have no device to measure on). `device` is the catalog's id,
  /// `cpu` or `cuda:0`; `named` is the study's word for it.
  Attributes attributes;
  GivenWords request;              ///< keys are those of the request's members
  std::vector<std::string> words;  ///< command line after `rooflab`, without outputs
  /// Folder in the study's folder with which training, scaling and searching can be resumed:
  /// `runs/ID-1f00aa7e`, which depends on the words; empty: nothing is kept.
  std::string kept;
  std::string file;   ///< file that it reads; empty: none
  std::string input;  ///< hash of the file by identify_inputs(); another content is another case
  std::vector<std::string> trained;  ///< `evaluate`: folders of the cases with its models
  std::string note;                  ///< why it differs from the request; may be empty
  std::string skipped;               ///< why nothing can be run; empty: it runs
};
[[nodiscard]] std::span<const Field> fields_of(For<PlannedCase>);

/// Whether the case runs as requested, not as a prediction in its place.
[[nodiscard]] bool is_as_asked(const PlannedCase& planned);
/// Whether another machine would give other figures; false for counts, predictions and logs.
[[nodiscard]] bool is_of_machine(const PlannedCase& planned);

/// Replaces devices' names by the catalog's ids in the published rows and in the `where` of tables
/// and charts, so that they match the plan. Unknown names are kept.
void name_devices(Study& study, const device::Catalog& catalog);

/// Plans all cases in the order of the file. The words `gpu` (the first GPU), `here` (the first
/// GPU, or the CPU), `cpu` and `cuda:N` mean devices of this machine, others those of the catalog.
/// A case for a device that is not here is predicted instead; indistinguishable cases of a group
/// become one. Throws Error (input) at the study's line for models, devices and files that do not
/// exist, and for impossible values.
[[nodiscard]] std::vector<PlannedCase> plan_study(const Study& study, const Machine& machine,
                                                  const device::Catalog& catalog);

/// Whether another machine could make another plan: false where all cases are predicted for named
/// devices, counted or imported. `plan`: plan for a machine without capabilities.
[[nodiscard]] bool depends_on_machine(std::span<const PlannedCase> plan);

/// Sets PlannedCase::input from the files of the cases, each read once. Throws Error (input).
void identify_inputs(std::span<PlannedCase> plan);

/// The command line of a case: `rooflab predict resnet18 --device t4`.
[[nodiscard]] std::string command_of(const PlannedCase& planned);

}  // namespace rooflab::study
