#include <algorithm>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "error_context.hpp"
#include "flag_value.hpp"
#include "model_options.hpp"
#include "output_options.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/report/summary_report.hpp"

namespace rooflab::cli {
namespace {

struct SummaryCommand {
  std::string model;
  ModelOptions network;
  OutputOptions output;
  std::optional<std::string> depth;

  void run(Session& session) const {
    network.check({model});
    const std::vector<std::int64_t> batches = network.batches();
    if (batches.size() > 1) {
      throw Error(ErrorKind::usage, "summary takes one batch size", "predict compares several");
    }
    const schedule::LoweringOptions lowering = network.lowering();
    const std::optional<std::int64_t> batch =
        batches.empty() ? std::nullopt : std::optional(batches.front());
    const std::optional<int> depth_limit = depth_or_all();
    const analyze::NetworkSummary summary = in_case(model, batch, [&] {
      const LoadedModel loaded = network.load(model, batch);
      const schedule::Schedule schedule = schedule::lower(loaded.graph, lowering);
      return analyze::summarize_network(schedule, loaded.name, depth_limit, loaded.notes);
    });
    output.write(report::summary_report(summary), session.console);
    const bool complete = summary.totals.count.uncounted.empty();
    if (network.strict() && !complete) session.exit_code = 1;
  }

 private:
  [[nodiscard]] std::optional<int> depth_or_all() const {
    if (!depth) return std::nullopt;
    constexpr std::int64_t deeper_than_any_network = 1000;
    return static_cast<int>(
        std::min(positive(*depth, "--depth", "--depth 2"), deeper_than_any_network));
  }
};

}  // namespace

void add_summary_command(Command program, Session& session) {
  Command app = program.add_subcommand("summary", "count a network: layers, MACs, FLOPs, bytes");
  const auto command = std::make_shared<SummaryCommand>();
  app.add_option("model", command->model, "built-in model or ONNX file")
      .required()
      .type_name("MODEL");
  command->network.add_to(app, "batch size (1; a file's own)");
  app.add_option("--depth", command->depth, "fold scopes deeper than so many levels")
      .type_name("D");
  command->output.add_to(app);
  app.callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
