#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rooflab/describe/parameter.hpp"

namespace rooflab::cli {

struct Terminal;

/// A command in the table of commands. `-h`, the manual, completions, man pages and the keys of a
/// study come from its parameters.
struct CommandSpec {
  std::string name;
  std::string summary;  ///< one line
  Parameters parameters;
  std::shared_ptr<const void> usual;  ///< request with default values
  std::function<void(const GivenWords& given, Terminal& terminal)> run;

  /// Default of a flag, as `-h` prints it: `20`; empty: the flag has no default.
  [[nodiscard]] std::string default_of(const Parameter& parameter) const;
};

/// The row of a command: `Request` is its struct of parameters, `run` reads, computes and writes.
template <class Request, class Run>
[[nodiscard]] CommandSpec command(std::string name, std::string summary, Parameters parameters,
                                  Run run) {
  const auto parse_and_run = [name, run, parameters](const GivenWords& given, Terminal& terminal) {
    Request request;
    parameters.read(&request, given, "rooflab " + name + " -h");
    run(request, terminal);
  };
  return {std::move(name), std::move(summary), parameters, std::make_shared<const Request>(),
          parse_and_run};
}
template <class Request>
[[nodiscard]] CommandSpec command(std::string name, std::string summary,
                                  void (*run)(const Request& request, Terminal& terminal)) {
  return command<Request>(std::move(name), std::move(summary), parameters_of(For<Request>{}), run);
}

}  // namespace rooflab::cli
