#pragma once

#include <string>
#include <vector>

#include "command.hpp"
#include "rooflab/task/device_choice.hpp"

namespace rooflab::cli {

/// CalibrationFiles of a command whose flags are still told to the parser by itself.
class CalibrationOptions {
 public:
  void add_to(Command command) {
    const Parameter& flag = parameter_of<&task::CalibrationFiles::calibration>();
    command.add_option(flag.flag(), words_, flag.help).type_name(flag.value).expected(1).take_all();
  }

  [[nodiscard]] task::CalibrationFiles files() const {
    task::CalibrationFiles files;
    const Parameter& flag = parameter_of<&task::CalibrationFiles::calibration>();
    if (!words_.empty()) flag.read(&files, words_);
    return files;
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace rooflab::cli
