#include "published_rows.hpp"

#include "rooflab/base/text.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::accuracy {
namespace {

CsvTable read_table(const std::string& file) { return parse_csv(read_file(file), file); }

}  // namespace

std::string repository_path(const std::string& file) {
  return std::string(ROOFLAB_SOURCE_DIR) + "/" + file;
}

PublishedRows::PublishedRows(const std::string& name)
    : table_(read_table(repository_path("tests/data/accuracy/" + name))) {}

std::string PublishedRows::text(std::size_t row, const std::string& column) const {
  return std::string(table_.cell(row, table_.column(column).value()));
}

double PublishedRows::number(std::size_t row, const std::string& column) const {
  const std::size_t place = table_.column(column).value();
  const std::optional<double> number = parse_number(table_.cell(row, place));
  if (!number) throw table_.error(row, place, "a number is expected");
  return *number;
}

std::int64_t PublishedRows::integer(std::size_t row, const std::string& column) const {
  return static_cast<std::int64_t>(number(row, column));
}

}  // namespace rooflab::accuracy
