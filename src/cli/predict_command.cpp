#include <memory>
#include <optional>
#include <utility>

#include "case_options.hpp"
#include "commands.hpp"
#include "output_options.hpp"
#include "plotly_bundle.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/report/predict_report.hpp"
#include "rooflab/report/scaling_report.hpp"
#include "scaling_options.hpp"

namespace rooflab::cli {
namespace {

struct PredictCommand {
  CaseOptions cases;
  ScalingOptions scaling;
  OutputOptions output;
  bool layers = false;
  bool explain = false;

  void run(Session& session) const {
    scaling.check();
    if (scaling.any_devices()) return run_scaled(session);
    const std::vector<analyze::CaseResult> results = cases.run();
    report::Document document = report::predict_report(results);
    if (layers) {
      for (const analyze::CaseResult& result : results) {
        document.tables.push_back(report::layer_limit_table(result));
      }
    }
    if (explain) {
      for (const analyze::CaseResult& result : results) {
        std::optional<report::Table> table = report::explain_table(result);
        if (table) document.tables.push_back(*std::move(table));
      }
    }
    output.write(document, session.console, [&] {
      return report::render_html(report::predict_page(results, shell_line(session.words)),
                                 plotly_bundle());
    });
    if (cases.strict() && !is_complete(results)) session.exit_code = 1;
  }

 private:
  /// On several devices at once.
  void run_scaled(const Session& session) const {
    if (layers || explain) {
      throw Error(ErrorKind::usage, "--layers and --explain are of one device", "leave --gpus out");
    }
    const analyze::Scaling results{cases.run_scaled(scaling), {}};
    output.write(report::scaling_report(results, "predict"), session.console, [&] {
      return report::render_html(report::scaling_page(results, shell_line(session.words)),
                                 plotly_bundle());
    });
  }
};

}  // namespace

void add_predict_command(Command program, Session& session) {
  Command app = program.add_subcommand(
      "predict", "limit, expected time and memory of networks on devices that need not be here");
  const auto command = std::make_shared<PredictCommand>();
  command->cases.add_to(app);
  app.add_flag("--layers", command->layers, "a layer table for every case besides");
  app.add_flag("--explain", command->explain,
               "what the predicted time is made of, a table for every case");
  command->scaling.add_to(app);
  command->output.add_to(app);
  app.callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
