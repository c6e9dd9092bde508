#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/error.hpp"
#include "rooflab/record/record.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace rooflab::import::nsys {

/// Deleter of a compiled query.
struct CloseStatement {
  void operator()(sqlite3_stmt* statement) const;
};
using Statement = std::unique_ptr<sqlite3_stmt, CloseStatement>;

/// An SQLite file, opened read-only: no journal is applied, no lock is taken, and no code of the
/// file's schema runs (views and virtual tables count as missing).
class Database {
 public:
  /// Opens a file. Throws Error (input) where it is damaged or is not an SQLite database.
  explicit Database(const std::filesystem::path& path);

  /// Whether the database has a table with this name.
  [[nodiscard]] bool has(std::string_view table) const;
  /// Names of the table's columns; empty without the table.
  [[nodiscard]] std::vector<std::string> columns(std::string_view table) const;
  /// Estimated number of rows in the table: never more than the file has room for.
  [[nodiscard]] std::size_t expected_rows(std::string_view table) const;

  [[nodiscard]] Statement prepare(const std::string& query) const;
  /// Moves to the next row; false after the last one. Throws Error (input) where the file is
  /// damaged.
  [[nodiscard]] bool step(sqlite3_stmt* statement) const;

  /// An Error (input) at the file, to be thrown by the caller.
  [[nodiscard]] Error error(const std::string& message, std::string hint) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  [[noreturn]] void fail(int code) const;

  std::filesystem::path path_;
  std::int64_t size_ = 0;
  std::unique_ptr<sqlite3, Close> handle_;
};

/// The rows of a table in the order of the file, one at a time. Values of another type than
/// requested are lost, and counted with the row of the first.
class Rows {
 public:
  /// Selects columns of a table. Missing columns are unknown in every row; a missing table has no
  /// rows.
  Rows(const Database& database, std::string_view table,
       std::span<const std::string_view> wanted_columns, std::vector<record::Loss>& losses);

  /// Moves to the next row, at first to the first one.
  [[nodiscard]] bool next();

  /// Integer in a column; nullopt: NULL, no such column, or another type (a loss).
  [[nodiscard]] std::optional<std::int64_t> integer(std::size_t column);
  /// Integer from `low` to `high` in a column; nullopt: NULL, no such column, or another type or
  /// range (a loss).
  [[nodiscard]] std::optional<std::int64_t> integer(std::size_t column, std::int64_t low,
                                                    std::int64_t high);
  /// UTF-8 text in a column, valid until next(); empty: NULL, no such column, or another type (a
  /// loss).
  [[nodiscard]] std::string_view text(std::size_t column);
  /// Text in a column, or a whole number as text.
  [[nodiscard]] std::string text_or_number(std::size_t column);

  [[nodiscard]] bool has(std::size_t column) const { return present_[column]; }
  void lose(std::string_view what);

 private:
  const Database& database_;
  std::string table_;
  std::vector<record::Loss>& losses_;
  std::vector<bool> present_;
  Statement statement_;
  std::int64_t row_ = 0;
  std::string scratch_;
};

/// The table StringIds; texts are read only when they are requested.
class StringTable {
 public:
  explicit StringTable(const Database& database);

  /// Text of an id; nullopt: the table lacks it.
  [[nodiscard]] std::optional<std::string> text(std::int64_t id);

 private:
  const Database& database_;
  Statement statement_;
};

}  // namespace rooflab::import::nsys
