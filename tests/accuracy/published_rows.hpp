#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/csv.hpp"

namespace rooflab::accuracy {

/// Path of a file of the repository.
[[nodiscard]] std::string repository_path(const std::string& file);

/// A table of tests/data/accuracy; the README there names the sources.
///
///     const PublishedRows rows("h200_pytorch_eager.csv");
///     for (std::size_t i = 0; i < rows.size(); ++i) use(rows.text(i, "model"));
class PublishedRows {
 public:
  explicit PublishedRows(const std::string& name);

  [[nodiscard]] std::size_t size() const { return table_.rows(); }
  [[nodiscard]] std::string text(std::size_t row, const std::string& column) const;
  /// Throws Error (input) at a cell that is not a number.
  [[nodiscard]] double number(std::size_t row, const std::string& column) const;
  [[nodiscard]] std::int64_t integer(std::size_t row, const std::string& column) const;

 private:
  CsvTable table_;
};

}  // namespace rooflab::accuracy
