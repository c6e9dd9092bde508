#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/describe/parameter.hpp"

namespace rooflab::task {

/// A command that a study can run, by the members of its request.
struct RequestKind {
  std::string_view command = {};
  const Parameters* parameters = nullptr;
  std::shared_ptr<void> (*make)() = nullptr;  ///< makes a request with default values

  /// Parameter of the network, the file or the program; nullptr: the command has none.
  [[nodiscard]] const Parameter* subject() const;
};

[[nodiscard]] std::span<const RequestKind> request_kinds();

/// Kind of a command that a study can run.
[[nodiscard]] const RequestKind& request_kind(std::string_view command);

/// Input of `rooflab task`: the words of a request by the keys of its members, and the command line
/// that repeats it.
struct RequestFile {
  std::string command = {};
  std::string command_line = {};
  GivenWords request = {};
};
[[nodiscard]] std::span<const Field> fields_of(For<RequestFile>);
[[nodiscard]] FileKind file_kind_of(For<RequestFile>);

}  // namespace rooflab::task
