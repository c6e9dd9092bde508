#include <ostream>

#include "describe/fields.hpp"
#include "describe/schema.hpp"
#include "record/record_json.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using analyze::ImportedCase;

/// What comes before the record in JSON.
Json head_of(const ImportedCase& imported, Findings found) {
  Json head = with_head(file_kind_of(For<record::Record>{}), {{"command", "import"}});
  head.update(to_json(imported));
  head.update({{"findings", codec::encode(found)}});
  head.update({{"panes", codec::encode(imported.trace)}});
  return head;
}

/// The record of one file, or a list of several; written in pieces.
void write_imports(std::ostream& stream, std::span<const ImportedCase> cases,
                   const std::optional<trace::TraceJob>& job,
                   std::span<const std::vector<findings::Finding>> of_each) {
  const auto write = [&](std::size_t i) {
    const Findings own = i < of_each.size() ? Findings(of_each[i]) : Findings();
    record::write_json(stream, cases[i].record, head_of(cases[i], own));
  };
  if (cases.size() == 1) return write(0);
  Json head = command_json("import", Json::object());
  if (job) head.update({{"job", to_json(*job)}});
  std::string text = head.dump();
  text.back() = ',';  // the records come last
  stream << text << "\n\"imports\": [\n";
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (i > 0) stream << ",\n";
    write(i);
  }
  stream << "]\n}\n";
}

}  // namespace

page::Document import_document(std::span<const ImportedCase> cases,
                               const std::optional<trace::TraceJob>& job, const ImportView& view,
                               const findings::ImportedFindings& found) {
  page::Document document = import_view(cases, job, view, found.all);
  document.write_json = [cases, job, of_each = std::span(found.of_each)](std::ostream& stream) {
    write_imports(stream, cases, job, of_each);
  };
  return document;
}

}  // namespace rooflab::report
