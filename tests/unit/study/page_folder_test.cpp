#include "study/page_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/system/file.hpp"
#include "system/path_status.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::study {
namespace {

/// Documents whose tables have these titles.
page::Document page_with(const std::vector<std::string>& titles) {
  page::Document document;
  document.title = "A study";
  for (const std::string& title : titles) {
    page::Table& table = document.tables.emplace_back();
    table.title = title;
    table.columns = {{.key = "model", .title = "model", .align = page::Align::left}};
    table.rows = {{"resnet18"}};
  }
  page::show_all_tables(document, "study");
  return document;
}

/// Writes a page as `rooflab study` does.
void write_page(const std::filesystem::path& folder, const std::vector<std::string>& titles) {
  page::Document document = page_with(titles);
  const SideFiles files = side_files(document, "1");
  remove_earlier_files(folder, files);
  write_file_atomically(folder / "report.json", page::render(document, page::Format::json));
  write_side_files(folder, files);
}

TEST(PageFolder, TheNextPageTakesAwayWhatItDoesNotHave) {
  const TemporaryFolder folder("test");
  write_page(folder.path(), {"One", "Two"});
  EXPECT_TRUE(is_there(folder.file("tables/one.csv")));
  write_file_atomically(folder.file("tables/mine.csv"), "a user's");
  write_page(folder.path(), {"Two"});
  EXPECT_FALSE(is_there(folder.file("tables/one.csv")));
  EXPECT_FALSE(is_there(folder.file("tables/one.tex")));
  EXPECT_TRUE(is_there(folder.file("tables/two.csv")));
  EXPECT_TRUE(is_there(folder.file("tables/mine.csv")));
}

TEST(PageFolder, AListDeletesNothingElse) {
  const TemporaryFolder folder("test");
  make_folders(folder.file("tables/below"));
  for (const char* const name :
       {"notes.csv", "tables/Mine.csv", "tables/.hidden", "tables/below/x.csv"}) {
    write_file_atomically(folder.file(name), "a user's");
  }
  write_file_atomically(folder.file("report.json"),
                        R"({"page_files": [{"files": ["notes.csv", "tables/Mine.csv", "tables/",
                        "tables/.hidden", "tables/below/x.csv", "tables/../notes.csv", 3]}, 4]})");
  remove_earlier_files(folder.path(), {});
  for (const char* const name :
       {"notes.csv", "tables/Mine.csv", "tables/.hidden", "tables/below/x.csv"}) {
    EXPECT_TRUE(is_there(folder.file(name))) << name;
  }
}

TEST(PageFolder, AForeignPageListsNothing) {
  const TemporaryFolder folder("test");
  write_file_atomically(folder.file("report.json"), "{ no JSON");
  EXPECT_NO_THROW(remove_earlier_files(folder.path(), {}));
}

TEST(PageFolder, TheJsonListsTheFiles) {
  page::Document document = page_with({"One"});
  (void)side_files(document, "1");
  EXPECT_EQ(document.json["page_files"][0]["title"], "One");
  EXPECT_EQ(document.json["page_files"][0]["files"][1], "tables/one.tex");
}

TEST(PageFolder, TheSummaryCounts) {
  page::Document document = page_with({"One", "Two"});
  EXPECT_EQ(side_files(document, "1").summary(), "2 tables in tables/ (.csv, .tex)");
  EXPECT_EQ(SideFiles().summary(), "");
}

}  // namespace
}  // namespace rooflab::study
