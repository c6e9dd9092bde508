#include "python_costs.hpp"

#include <array>
#include <chrono>

#include "base/format.hpp"
#include "describe/fields.hpp"
#include "notes/task_notes.hpp"
#include "rooflab/system/file.hpp"
#include "system/child_process.hpp"
#include "system/path_status.hpp"

namespace rooflab::task {

PythonProbe::PythonProbe(std::string python, std::filesystem::path file)
    : python_(std::move(python)),
      file_(std::move(file)),
      script_(share_folder() / "pytorch_host.py") {
  // A path is taken as it is, never looked for in the folders of PATH.
  if (python_.find('/') == std::string::npos) {
    program_ = find_program(python_);
  } else if (is_file(python_)) {
    program_ = python_;
  }
}

bool PythonProbe::is_possible() const { return program_ && is_file(script_); }

PythonCosts PythonProbe::run(const std::string& device, double seconds,
                             const Session& session) const {
  if (!is_possible()) {
    return {{}, Note{says.no_python_costs, {program_ ? script_.string() : python_}}};
  }
  const std::array<std::string, 6> arguments = {
      script_.string(), file_.string(), "--device", device, "--seconds", format("{:g}", seconds)};
  ChildOptions child;
  child.timeout = std::chrono::seconds(120);
  child.should_stop = session.should_stop;
  child.kept_errors = 2000;
  child.own_group = true;
  const ChildResult ended = run_child(*program_, arguments, child);
  if (ended.exit_status != 0 || !is_file(file_)) {
    const std::string_view said = trim(ended.errors);
    return {{},
            Note{says.python_costs_failed,
                 {said.empty() ? "the script failed" : said.substr(said.rfind('\n') + 1)}}};
  }
  return {
      from_json<device::HostCosts>(parse_json(read_file(file_), file_.string()), file_.string()),
      {}};
}

}  // namespace rooflab::task
