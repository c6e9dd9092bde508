#include <memory>

#include "commands.hpp"
#include "output_options.hpp"
#include "rewrites.hpp"
#include "rooflab/base/field_table.hpp"
#include "rooflab/base/schema.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::cli {
namespace {

std::string_view name(const Rewrite& rewrite) { return rewrite.name; }
std::string_view description(const Rewrite& rewrite) { return rewrite.description; }

}  // namespace

std::span<const Field> fields_of(For<Rewrite>) {
  static constexpr Field fields[] = {
      field<&name>("rewrite"),
      field<&description>("description"),
  };
  return fields;
}

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
  document.json = command_json("models", "rewrites", rewrites());
  for (const Rewrite& rewrite : rewrites()) {
    table.rows.push_back({std::string(rewrite.name), std::string(rewrite.description)});
  }
  document.tables.push_back(std::move(table));
  document.notes = {
      "The outputs stay equal. `rooflab measure MODEL --rewrite NAME` runs the change."};
  return document;
}

}  // namespace

void add_models_command(Command program, Session& session) {
  Command app = program.add_subcommand("models", "list the built-in networks");
  const auto output = std::make_shared<OutputOptions>();
  output->add_to(app);
  const auto of_rewrites = std::make_shared<bool>(false);
  app.add_flag("--rewrites", *of_rewrites, "list the changes that --rewrite makes instead");
  app.callback([output, of_rewrites, &session] {
    output->write(*of_rewrites ? rewrites_document() : models_document(), session.console);
  });
}

}  // namespace rooflab::cli
