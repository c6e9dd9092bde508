#include <filesystem>
#include <memory>

#include "commands.hpp"
#include "output_options.hpp"
#include "plotly_bundle.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/chart/gnuplot_renderer.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::cli {
namespace {

/// One thing that is there or not, and what to do about it.
struct Check {
  std::string what;
  bool present = true;
  std::string found;
  std::string advice;  ///< when it is missing
};

std::vector<Check> checks() {
  std::vector<Check> found;
  found.push_back({"rooflab", true, format("{}, {}", ROOFLAB_VERSION, ROOFLAB_BUILD_TYPE), ""});
  found.push_back({"built-in models", true, std::to_string(zoo::models().size()), ""});
  found.push_back(
      {"built-in devices", true, std::to_string(device::Catalog::built_in().ids().size()), ""});
  const std::optional<std::filesystem::path> gnuplot = chart::find_gnuplot();
  found.push_back({"gnuplot (SVG, PNG, PDF)", gnuplot.has_value(),
                   gnuplot ? gnuplot->string() : "not found", "apt-get install gnuplot-nox"});
  const bool bundle = std::filesystem::is_regular_file(plotly_bundle_path());
  found.push_back(
      {"Plotly bundle (interactive HTML)", bundle,
       bundle ? plotly_bundle_path().string() : "not found",
       "npm ci in the source tree, then build again; without it pages hold static SVG"});
  for (const std::string_view worker : {"rooflab-torch", "rooflab-probe"}) {
    const std::filesystem::path path = share_folder().parent_path().parent_path() / "bin" / worker;
    const bool present = std::filesystem::exists(path);
    found.push_back({format("worker {}", worker), present,
                     present ? path.string() : "not part of this build",
                     "this version counts and predicts; nothing here measures yet"});
  }
  return found;
}

report::Document doctor_document() {
  report::Document document;
  document.title = "What this Rooflab can do here";
  report::Table table;
  table.columns = {{"what", "what", report::Align::left},
                   {"present", "", report::Align::left},
                   {"found", "found", report::Align::left},
                   {"advice", "what to do", report::Align::left}};
  document.json["schema_version"] = report::schema_version;
  document.json["command"] = "doctor";
  document.json["checks"] = Json::array();
  for (const Check& check : checks()) {
    const std::string advice = check.present ? "" : check.advice;
    table.rows.push_back({check.what, check.present ? "ok" : "missing", check.found, advice});
    document.json["checks"].push_back({{"what", check.what},
                                       {"present", check.present},
                                       {"found", check.found},
                                       {"advice", advice}});
  }
  document.tables.push_back(std::move(table));
  return document;
}

}  // namespace

void add_doctor_command(CLI::App& program, Session& session) {
  CLI::App* app =
      program.add_subcommand("doctor", "say what works on this machine and what is missing");
  const auto output = std::make_shared<OutputOptions>();
  output->add_to(*app);
  app->callback([output, &session] { output->write(doctor_document(), session.console); });
}

}  // namespace rooflab::cli
