#include "commands.hpp"
#include "describe/parameter_list.hpp"
#include "model_figures.hpp"
#include "output_choice.hpp"
#include "page/joined_row.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::cli {
namespace {

page::Document models_document() {
  const std::span models = zoo::models();
  const std::span<const ModelFigures> figures = model_figures();
  std::vector<Json> objects;
  std::vector<page::JoinedRow> rows;
  for (std::size_t i = 0; i < models.size(); ++i) {
    objects.push_back(to_json(models[i]));
    objects.back().update({{"parameters", figures[i].parameters}, {"macs", figures[i].macs}});
    rows.emplace_back()
        .own("parameters", figures[i].parameters)
        .own("macs", figures[i].macs)
        .of(models[i]);
  }
  page::Document document{
      .title = "Built-in models",
      .tables = {page::table_of(rows, page::columns_of("model", "family", "input_size",
                                                       "parameters", "macs", "variants"))}};
  document.json = command_json("models", "models", codec::encode(objects));
  for (std::size_t i = 0; i < models.size(); ++i) {
    std::vector<std::string> names;
    for (const zoo::VariantInfo& each : models[i].variants) names.push_back(each.name);
    page::cell_at(document.tables.front(), i, "variants") = join(names, " ");
  }
  return document;
}

page::Document rewrites_document() {
  page::Document document = page::list_of("Rewrites", "models", "rewrites", task::rewrites(),
                                          page::columns_of("rewrite", "description"));
  document.notes = {
      "The outputs stay equal. `rooflab measure MODEL --rewrite NAME` runs the change."};
  return document;
}

struct ModelsCommand {
  bool rewrites = false;
  OutputChoice output;
};

}  // namespace

CommandSpec models_command() {
  return command<ModelsCommand>(
      "models", "list the built-in networks",
      {parameter<&ModelsCommand::rewrites>("list the changes that measure --rewrite makes instead"),
       part<&ModelsCommand::output>()},
      [](const ModelsCommand& command, Terminal& terminal) {
        command.output.write(command.rewrites ? rewrites_document() : models_document(),
                             terminal.console);
      });
}

}  // namespace rooflab::cli
