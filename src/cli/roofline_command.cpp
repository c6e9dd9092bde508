#include <algorithm>
#include <filesystem>
#include <memory>

#include "case_options.hpp"
#include "commands.hpp"
#include "flag_value.hpp"
#include "output_options.hpp"
#include "plotly_bundle.hpp"
#include "rooflab/analyze/roofline.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/chart/gnuplot_renderer.hpp"
#include "rooflab/chart/terminal_renderer.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/report/roofline_chart.hpp"

namespace rooflab::cli {
namespace {

struct RooflineCommand {
  CaseOptions cases;
  std::string per = "layer";
  bool ascii = false;
  std::vector<std::string> files;

  void run(Session& session) const {
    const analyze::PointPer per_what = point_per();
    const std::vector<analyze::CaseResult> results = cases.run();
    std::vector<const analyze::CaseResult*> shown;
    for (const analyze::CaseResult& result : results) {
      if (result.device.id != results.front().device.id) {
        throw Error(ErrorKind::usage, "a roofline is of one device",
                    "predict -o report.html draws one for each device");
      }
      shown.push_back(&result);
    }
    const chart::Chart chart = report::roofline_chart(analyze::roofline_of(shown, per_what));
    if (files.empty()) {
      const auto [columns, rows] = session.console.terminal_size();
      session.console.print(chart::render_terminal(
          chart, {.columns = columns, .rows = std::clamp(rows - 2, 20, 60), .ascii = ascii}));
    } else {
      std::vector<OutputFile> outputs;
      for (const std::string& file : files) {
        outputs.push_back({file, rendered(chart, file, session)});
      }
      write_files(outputs, session.console);
    }
    for (const analyze::CaseResult& result : results) {
      for (const std::string& note : result.notes) {
        session.console.say(format("{}: {}", result.model, note));
      }
    }
    if (cases.strict() && !is_complete(results)) session.exit_code = 1;
  }

 private:
  [[nodiscard]] analyze::PointPer point_per() const {
    if (per == "layer") return analyze::PointPer::layer;
    if (per == "model") return analyze::PointPer::model;
    throw_unknown("--per value", per, {"layer", "model"});
  }

  [[nodiscard]] static std::string rendered(const chart::Chart& chart, const std::string& file,
                                            const Session& session) {
    const std::string extension = lowercase(std::filesystem::path(file).extension().string());
    if (extension == ".html" || extension == ".htm") {
      return report::render_html(report::chart_page(chart, shell_line(session.words)),
                                 plotly_bundle());
    }
    const std::optional<chart::Format> format = chart::format_from_extension(extension);
    if (!format) {
      throw Error(ErrorKind::usage,
                  rooflab::format("-o: cannot tell a picture format from the name '{}'", file),
                  "use .svg, .png, .pdf or .html");
    }
    return chart::render_gnuplot(chart, *format);
  }
};

}  // namespace

void add_roofline_command(CLI::App& program, Session& session) {
  CLI::App* app =
      program.add_subcommand("roofline", "draw networks or layers below a device's roofs");
  const auto command = std::make_shared<RooflineCommand>();
  command->cases.add_to(*app);
  app->add_option("--per", command->per, "what a point is: layer (the default) or model")
      ->type_name("layer|model");
  app->add_flag("--ascii", command->ascii, "draw in the terminal with ASCII letters only");
  app->add_option("-o,--output", command->files,
                  "write .svg, .png, .pdf or .html; may be repeated; without it, draw here")
      ->type_name("FILE")
      ->expected(1)
      ->take_all();
  app->callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
