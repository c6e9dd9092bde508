#include "import_view_options.hpp"

#include "flag_value.hpp"

namespace rooflab::cli {

void ImportViewOptions::add_to(Command command) {
  command.add_option("--per", per_, "rows of the first table: file, kernel or launch")
      .type_name("file|kernel|launch");
  command.add_option("--top", top_, "rows of a table of kernels (20); 0 for all").type_name("N");
}

report::ImportView ImportViewOptions::view() const {
  report::ImportView view;
  view.per = value_named<report::ImportRow>("--per value", per_);
  view.top = top_rows(top_, view.top);
  return view;
}

}  // namespace rooflab::cli
