#include <memory>
#include <optional>

#include "calibration_options.hpp"
#include "commands.hpp"
#include "device_options.hpp"
#include "flag_value.hpp"
#include "output_options.hpp"
#include "plotly_bundle.hpp"
#include "result_reader.hpp"
#include "rooflab/report/report_page.hpp"

namespace rooflab::cli {
namespace {

struct ReportCommand {
  std::vector<std::string> names;
  std::string title;
  std::string roofs;
  std::optional<std::string> top;
  DeviceOptions devices;
  CalibrationOptions calibrations;
  OutputOptions output;

  void run(Session& session) const {
    output.check(true);
    constexpr std::size_t usual_rows = 20;
    const std::size_t rows = top_rows(top, usual_rows);
    // Everything is read before anything is written: one bad file leaves nothing half done.
    const device::Catalog known = devices.catalog();
    const device::Catalog catalog = calibrations.catalog_with_probed(known);
    const std::optional<device::Device> device =
        roofs.empty() ? std::nullopt : std::optional(catalog.find(roofs));
    const analyze::ResultSet results =
        read_result_set(names, catalog, device, calibrations.lookup(known), session.task());
    report::Page page = report::report_page(results, shell_line(session.words));
    if (!title.empty()) page.title = title;
    output.write(report::document_of(page, rows), session.console,
                 [&page] { return report::render_html(page, plotly_bundle()); });
  }
};

}  // namespace

void add_report_command(Command program, Session& session) {
  Command app = program.add_subcommand("report", "put any results onto one page");
  const auto command = std::make_shared<ReportCommand>();
  app.add_option("results", command->names,
                 "records, JSON of predict, measure or train, ncu CSV, traces, or folders")
      .required()
      .type_name("RESULT");
  app.add_option("--title", command->title, "of the page").type_name("TEXT");
  app.add_option("--device", command->roofs, "set everything against this device's roofs")
      .type_name("D");
  app.add_option("--top", command->top, "rows of a table in Markdown (20); 0 for all")
      .type_name("N");
  command->devices.add_folder_to(app);
  command->calibrations.add_files_to(app);
  command->output.add_to(app);
  app.callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
