#include <algorithm>
#include <memory>

#include "commands.hpp"
#include "output_options.hpp"
#include "rooflab/analyze/comparison.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/report/compare_report.hpp"

namespace rooflab::cli {
namespace {

struct CompareCommand {
  std::string a;
  std::string b;
  OutputOptions output;
  bool strict = false;

  void run(Session& session) const {
    const std::vector<analyze::Comparand> first = analyze::read_comparands(a);
    const std::vector<analyze::Comparand> second = analyze::read_comparands(b);
    const analyze::ComparisonList list = analyze::compare_all(first, second);
    if (list.pairs.empty()) {
      throw Error(ErrorKind::input, format("'{}' and '{}' have no case in common", a, b),
                  "several cases are matched by model, batch, phase and precision; one file with"
                  " one case each is always compared");
    }
    output.write(report::compare_report(list), session.console);
    const bool slower = std::ranges::any_of(list.pairs, [](const analyze::Comparison& pair) {
      return pair.difference == analyze::Difference::slower;
    });
    if (strict && (slower || !list.only_a.empty())) session.exit_code = 1;
  }
};

}  // namespace

void add_compare_command(Command program, Session& session) {
  Command app = program.add_subcommand(
      "compare", "say how much faster one result is than another, and whether it is significant");
  const auto command = std::make_shared<CompareCommand>();
  app.add_option("a", command->a, "record, folder of records, or JSON of measure or predict")
      .required()
      .type_name("A");
  app.add_option("b", command->b, "what to set against it").required().type_name("B");
  app.add_flag("--strict", command->strict,
               "exit 1 when B is significantly slower, or lacks a case of A");
  command->output.add_to(app);
  app.callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
