#include <memory>

#include "commands.hpp"
#include "model_options.hpp"
#include "output_options.hpp"
#include "rooflab/analyze/network_count.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/report/summary_report.hpp"

namespace rooflab::cli {
namespace {

struct SummaryCommand {
  std::string model;
  ModelOptions network;
  OutputOptions output;
  int depth = 0;

  void run(Session& session) const {
    const std::vector<std::int64_t> batches = network.batches();
    if (batches.size() > 1) {
      throw Error(ErrorKind::usage, "summary takes one batch size", "predict compares several");
    }
    const schedule::LoweringOptions lowering = network.lowering();
    const LoadedModel loaded =
        network.load(model, batches.empty() ? std::nullopt : std::optional(batches.front()));
    const schedule::Schedule schedule = schedule::lower(loaded.graph, lowering);
    output.write(report::summary_report(schedule, {loaded.name, depth_or_all(), loaded.notes}),
                 session.console);
    const bool complete = analyze::count_network(schedule).uncounted.empty();
    if (network.strict() && !complete) session.exit_code = 1;
  }

 private:
  [[nodiscard]] std::optional<int> depth_or_all() const {
    return depth > 0 ? std::optional(depth) : std::nullopt;
  }
};

}  // namespace

void add_summary_command(CLI::App& program, Session& session) {
  CLI::App* app = program.add_subcommand("summary", "count a network: layers, MACs, FLOPs, bytes");
  const auto command = std::make_shared<SummaryCommand>();
  app->add_option("model", command->model, "built-in model or ONNX file")
      ->required()->type_name("MODEL");
  command->network.add_to(*app);
  app->add_option("--depth", command->depth, "fold scopes deeper than so many levels")
      ->type_name("D")->check(CLI::PositiveNumber);
  command->output.add_to(*app);
  app->callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
