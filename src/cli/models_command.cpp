#include "commands.hpp"
#include "output_choice.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/base/schema.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/task/rewrites.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::cli {
namespace {

report::Document models_document() {
  report::Document document;
  document.title = "Built-in models";
  report::Table table;
  table.columns = {{"model", "model", report::Align::left},
                   {"family", "family", report::Align::left},
                   {"input_size", "input"},
                   {"variants", "variants", report::Align::left}};
  document.json = command_json("models", "models", zoo::models());
  for (const zoo::ModelInfo& model : zoo::models()) {
    std::vector<std::string> variants;
    for (const zoo::VariantInfo& variant : model.variants) variants.push_back(variant.name);
    table.rows.push_back(
        {model.name, model.family, report::count_cell(model.input_size), join(variants, " ")});
  }
  document.tables.push_back(std::move(table));
  return document;
}

report::Document rewrites_document() {
  report::Document document;
  document.title = "Rewrites";
  report::Table table;
  table.columns = {{"rewrite", "rewrite", report::Align::left},
                   {"description", "what it does", report::Align::left}};
  document.json = command_json("models", "rewrites", task::rewrites());
  for (const task::Rewrite& rewrite : task::rewrites()) {
    table.rows.push_back({std::string(rewrite.name), std::string(rewrite.description)});
  }
  document.tables.push_back(std::move(table));
  document.notes = {
      "The outputs stay equal. `rooflab measure MODEL --rewrite NAME` runs the change."};
  return document;
}

struct ModelsCommand {
  bool rewrites = false;
  OutputChoice output;
};

const Parameters& parameters_of(For<ModelsCommand>) {
  static const Parameters all = {
      parameter<&ModelsCommand::rewrites>("list the changes that measure --rewrite makes instead"),
      part<&ModelsCommand::output>(),
  };
  return all;
}

void run(const ModelsCommand& command, Session& session) {
  command.output.write(command.rewrites ? rewrites_document() : models_document(), session.console);
}

}  // namespace

CommandSpec models_command() {
  return command<ModelsCommand>("models", "list the built-in networks", run);
}

}  // namespace rooflab::cli
