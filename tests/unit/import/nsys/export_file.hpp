#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "system/temporary_folder.hpp"

namespace rooflab::import {

/// A database made of SQL, as long as the test lasts.
class ExportFile {
 public:
  explicit ExportFile(const std::string& sql) : path_(folder_.path() / "run.sqlite") {
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path_.c_str(), &database), SQLITE_OK);
    char* fault = nullptr;
    EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &fault), SQLITE_OK) << fault;
    sqlite3_free(fault);
    sqlite3_close(database);
  }

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::string bytes() const {
    std::ostringstream text;
    text << std::ifstream(path_, std::ios::binary).rdbuf();
    return std::move(text).str();
  }
  void write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }

 private:
  TemporaryFolder folder_{"nsys-test"};
  std::filesystem::path path_;
};

/// The SQL of tests/data/import/nsys, whose head says what is in it.
inline std::string sample_sql() {
  std::ostringstream text;
  text << std::ifstream(ROOFLAB_SOURCE_DIR "/tests/data/import/nsys/solver.sql").rdbuf();
  return std::move(text).str();
}

/// The fewest columns that a kernel needs, and one kernel.
inline std::string small_sql(const std::string& more = {}) {
  return "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, shortName);"
         "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);"
         "INSERT INTO StringIds VALUES (1, 'axpy');"
         "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 3000, 1);" +
         more;
}

}  // namespace rooflab::import
