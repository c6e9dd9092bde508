#include "database.hpp"

#include <sqlite3.h>

#include <algorithm>

#include "base/format.hpp"
#include "import/kineto/token.hpp"
#include "rooflab/base/error.hpp"
#include "system/byte_source.hpp"

namespace rooflab::import::nsys {
namespace {

using kineto::valid_utf8;

constexpr std::string_view export_again =
    "export the report again: nsys export --type sqlite --force-overwrite true FILE.nsys-rep";

/// The name of a file as part of a URI: the characters that mean something there are escaped.
std::string uri_of(const std::filesystem::path& path) {
  std::string uri = "file:";
  for (const char c : std::filesystem::absolute(path).string()) {
    const bool plain =
        is_letter(c) || is_digit(c) || std::string_view("/._-~").find(c) != std::string_view::npos;
    if (plain) {
      uri += c;
    } else {
      uri += format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  // Immutable: a journal next to the file is not applied, and the file is not locked.
  return uri + "?mode=ro&immutable=1";
}

/// `"NAME"`, whatever the name holds.
std::string quoted_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

constexpr std::size_t header_bytes = 100;

/// Bytes of all pages, by the file's header; SQLite itself notices only a page that it needs. 0:
/// the header does not say. Source: "Database File Format" of SQLite, the database header.
std::int64_t whole_size(std::string_view header) {
  if (header.size() < header_bytes) return 0;
  const auto number = [&](std::size_t place, std::size_t bytes) {
    std::int64_t value = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      value = 256 * value + static_cast<unsigned char>(header[place + i]);
    }
    return value;
  };
  constexpr std::int64_t largest_page = 65536;  // written as 1
  const std::int64_t page = number(16, 2) == 1 ? largest_page : number(16, 2);
  // The count of pages holds if the last writer knew of it.
  return number(24, 4) == number(92, 4) ? page * number(28, 4) : 0;
}

std::string_view column_text(sqlite3_stmt* statement, int column) {
  const unsigned char* const text = sqlite3_column_text(statement, column);
  if (text == nullptr) return {};
  return {reinterpret_cast<const char*>(text),
          static_cast<std::size_t>(sqlite3_column_bytes(statement, column))};
}

}  // namespace

void CloseStatement::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Database::Database(const std::filesystem::path& path) : path_(path) {
  // Refuses a folder or pipe, in the words of the other readers.
  ByteSource source(path, "export of Nsight Systems");
  size_ = static_cast<std::int64_t>(source.expected());
  const std::int64_t whole = whole_size(source.take(header_bytes));
  sqlite3* handle = nullptr;
  const int code =
      sqlite3_open_v2(uri_of(path).c_str(), &handle,
                      SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(handle);
  if (code != SQLITE_OK) fail(code);
  // The file is not trusted: none of its triggers, functions and expressions may do anything.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  if (size_ < whole) {
    throw error(format("the database ends early: it has {} of {} bytes", size_, whole),
                std::string(export_again));
  }
  const Statement check = prepare("PRAGMA cell_size_check=ON");
  (void)step(check.get());
  const Statement schema = prepare("SELECT count(*) FROM sqlite_master");
  (void)step(schema.get());
}

Error Database::error(const std::string& message, std::string hint) const {
  return {ErrorKind::input, message, std::move(hint), {path_.string(), {}, {}, {}}};
}

void Database::fail(int code) const {
  const std::string reason =
      handle_ != nullptr ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code);
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      throw error("this is not an SQLite database, or its first page is damaged",
                  std::string(export_again));
    case SQLITE_CORRUPT:
      throw error(format("the database is damaged or ends early ({})", reason),
                  std::string(export_again));
    default:
      throw error(format("cannot read the database: {}", reason), std::string(export_again));
  }
}

Statement Database::prepare(const std::string& query) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(handle_.get(), query.data(), static_cast<int>(query.size()),
                                      &statement, nullptr);
  Statement owner(statement);
  if (code != SQLITE_OK) fail(code);
  return owner;
}

bool Database::step(sqlite3_stmt* statement) const {
  const int code = sqlite3_step(statement);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) fail(code);
  return false;
}

bool Database::has(std::string_view table) const {
  const Statement query = prepare(
      "SELECT 1 FROM sqlite_master WHERE name = ?1 AND type = 'table'"
      " AND sql NOT LIKE 'create virtual%'");
  sqlite3_bind_text(query.get(), 1, table.data(), static_cast<int>(table.size()), SQLITE_TRANSIENT);
  return step(query.get());
}

std::vector<std::string> Database::columns(std::string_view table) const {
  std::vector<std::string> names;
  if (!has(table)) return names;
  const Statement query = prepare(format("PRAGMA table_info({})", quoted_name(table)));
  constexpr int name = 1;
  while (step(query.get())) names.emplace_back(column_text(query.get(), name));
  return names;
}

std::size_t Database::expected_rows(std::string_view table) const {
  if (!has(table)) return 0;
  sqlite3_stmt* statement = nullptr;
  const std::string query = format("SELECT max(rowid) FROM {}", quoted_name(table));
  // Fails where a table has no rowid: then nobody knows.
  (void)sqlite3_prepare_v2(handle_.get(), query.data(), static_cast<int>(query.size()), &statement,
                           nullptr);
  const Statement owner(statement);
  if (statement == nullptr || !step(statement)) return 0;
  constexpr std::int64_t least_row_bytes = 16;
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(sqlite3_column_int64(statement, 0), 0, size_ / least_row_bytes));
}

Rows::Rows(const Database& database, std::string_view table,
           std::span<const std::string_view> wanted_columns, std::vector<record::Loss>& losses)
    : database_(database), table_(table), losses_(losses), present_(wanted_columns.size()) {
  const std::vector<std::string> columns = database.columns(table);
  if (columns.empty()) return;
  std::string list;
  for (std::size_t i = 0; i < wanted_columns.size(); ++i) {
    const auto found = std::ranges::find(columns, wanted_columns[i]);
    present_[i] = found != columns.end();
    list += list.empty() ? "" : ", ";
    list += present_[i] ? quoted_name(wanted_columns[i]) : std::string("NULL");
  }
  statement_ = database.prepare(format("SELECT {} FROM {}", list, quoted_name(table)));
}

bool Rows::next() {
  if (!statement_) return false;
  ++row_;
  return database_.step(statement_.get());
}

void Rows::lose(std::string_view what) {
  record::count_loss(losses_, what, format("row {} of {}", row_, table_));
}

std::optional<std::int64_t> Rows::integer(std::size_t column) {
  const int index = static_cast<int>(column);
  const int type = sqlite3_column_type(statement_.get(), index);
  if (type == SQLITE_INTEGER) return sqlite3_column_int64(statement_.get(), index);
  if (type != SQLITE_NULL) lose("values that are not whole numbers");
  return std::nullopt;
}

std::optional<std::int64_t> Rows::integer(std::size_t column, std::int64_t low, std::int64_t high) {
  const std::optional<std::int64_t> value = integer(column);
  if (!value || (*value >= low && *value <= high)) return value;
  lose("values out of their range");
  return std::nullopt;
}

std::string_view Rows::text(std::size_t column) {
  const int index = static_cast<int>(column);
  const int type = sqlite3_column_type(statement_.get(), index);
  if (type == SQLITE_NULL) return {};
  if (type != SQLITE_TEXT) {
    lose("values that are not texts");
    return {};
  }
  scratch_ = valid_utf8(column_text(statement_.get(), index));
  return scratch_;
}

std::string Rows::text_or_number(std::size_t column) {
  const bool number =
      sqlite3_column_type(statement_.get(), static_cast<int>(column)) == SQLITE_INTEGER;
  return number ? format("{}", *integer(column)) : std::string(text(column));
}

StringTable::StringTable(const Database& database) : database_(database) {
  const std::vector<std::string> columns = database.columns("StringIds");
  const bool complete = std::ranges::find(columns, "id") != columns.end() &&
                        std::ranges::find(columns, "value") != columns.end();
  if (complete) {
    statement_ = database.prepare("SELECT \"value\" FROM \"StringIds\" WHERE \"id\" = ?1");
  }
}

std::optional<std::string> StringTable::text(std::int64_t id) {
  if (!statement_) return std::nullopt;
  sqlite3_reset(statement_.get());
  sqlite3_bind_int64(statement_.get(), 1, id);
  if (!database_.step(statement_.get())) return std::nullopt;
  if (sqlite3_column_type(statement_.get(), 0) != SQLITE_TEXT) return std::nullopt;
  return valid_utf8(column_text(statement_.get(), 0));
}

}  // namespace rooflab::import::nsys
