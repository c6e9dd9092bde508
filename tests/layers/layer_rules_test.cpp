// Every rule is tried on a planted violation first, then all of them on this very tree.

#include "layer_rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "project_files.hpp"

namespace rooflab::layers {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view table = R"(# a comment
base:
graph: base
zoo: graph     # and base, through graph
cost: graph
workers/torch: cost
party fmt/: base
party CLI/: cost
public graph: op graph
public cost: cost
system sys/ unistd.h
)";

bool planted_file(const fs::path& path) {
  return path == "include/rooflab/graph/op.hpp" || path == "include/rooflab/cost/cost.hpp" ||
         path == "src/cost/rules.hpp" || path == "src/zoo/blocks.hpp";
}

std::vector<std::string> findings_in(const fs::path& path, std::string_view text) {
  return check_source(parse_rules(table), path, text, planted_file);
}

TEST(LayerTable, GivesARoomWhatItsRoomsMayUse) {
  const Rules rules = parse_rules(table);
  EXPECT_THAT(rules.problems, IsEmpty());
  EXPECT_THAT(rules.allowed.at("zoo"), ElementsAre("base", "graph", "zoo"));
  EXPECT_THAT(rules.allowed.at("workers/torch"),
              ElementsAre("base", "cost", "graph", "workers/torch"));
}

TEST(LayerTable, RefusesACycleAndAnUnknownRoom) {
  EXPECT_THAT(parse_rules("graph: zoo\nzoo: graph\n").problems,
              ElementsAre(HasSubstr("layers.txt:1: 'graph' uses 'zoo', which is not above it")));
  EXPECT_THAT(parse_rules("base:\nbase:\n").problems, ElementsAre(HasSubstr("a second line")));
  EXPECT_THAT(parse_rules("party fmt/: base\n").problems, ElementsAre(HasSubstr("no room 'base'")));
  EXPECT_THAT(parse_rules("base\n").problems, ElementsAre(HasSubstr("not understood")));
}

TEST(LayerTable, ListsPublicHeaders) {
  const Rules rules = parse_rules(table);
  EXPECT_THAT(rules.public_headers,
              ElementsAre("include/rooflab/cost/cost.hpp", "include/rooflab/graph/graph.hpp",
                          "include/rooflab/graph/op.hpp"));
  EXPECT_THAT(check_public_headers(rules, rules.public_headers), IsEmpty());
  EXPECT_THAT(
      check_public_headers(rules, {"include/rooflab/cost/cost.hpp", "include/rooflab/graph/op.hpp",
                                   "include/rooflab/zoo/zoo.hpp"}),
      ElementsAre(HasSubstr("zoo.hpp: tools/layers.txt does not list it"),
                  HasSubstr("graph.hpp: tools/layers.txt lists it, but")));
  EXPECT_THAT(parse_rules("public zoo: zoo\n").problems, ElementsAre(HasSubstr("no room 'zoo'")));
}

TEST(LayerTable, NamesTheRoomOfAPath) {
  EXPECT_EQ(room_of("src/onnx/onnx_reader.cpp"), "onnx");
  EXPECT_EQ(room_of("include/rooflab/zoo/vgg.hpp"), "zoo");
  EXPECT_EQ(room_of("workers/torch/main.cpp"), "workers/torch");
  EXPECT_EQ(room_of("tests/unit/zoo/vgg_test.cpp"), "");
}

TEST(Includes, OfLowerRoomsAndOfTheStandardLibraryPass) {
  EXPECT_THAT(findings_in("src/zoo/vgg.cpp",
                          "#include \"blocks.hpp\"\n#include <vector>\n#include <sys/mman.h>\n"
                          "#include \"rooflab/graph/op.hpp\"\n"),
              IsEmpty());
}

TEST(Includes, OfARoomThatIsNotAllowedAreFound) {
  EXPECT_THAT(findings_in("src/zoo/vgg.cpp", "\n#include \"rooflab/cost/cost.hpp\"\n"),
              ElementsAre(HasSubstr("src/zoo/vgg.cpp:2: zoo may not include cost")));
  EXPECT_THAT(findings_in("include/rooflab/graph/op.hpp", "#include \"rooflab/cost/cost.hpp\"\n"),
              ElementsAre(HasSubstr("graph may not include cost")));
  EXPECT_THAT(findings_in("src/zoo/vgg.cpp", "  #  include \"../cost/rules.hpp\"\n"),
              ElementsAre(HasSubstr("zoo may not include cost")));
}

TEST(Includes, OfAPartyOutsideItsRoomAreFound) {
  EXPECT_THAT(findings_in("src/base/text.cpp", "#include <fmt/format.h>\n"), IsEmpty());
  EXPECT_THAT(findings_in("src/zoo/vgg.cpp", "#include <fmt/format.h>\n"),
              ElementsAre(HasSubstr("<fmt/format.h> is included by base only, not by zoo")));
  EXPECT_THAT(findings_in("src/zoo/vgg.cpp", "#include <boost/any.hpp>\n"),
              ElementsAre(HasSubstr("of no party")));
}

TEST(Includes, ThatLeadNowhereOrIntoAPrivateHeaderAreFound) {
  EXPECT_THAT(findings_in("src/zoo/vgg.cpp", "#include \"rooflab/zoo/gone.hpp\"\n"),
              ElementsAre(HasSubstr("is not a file of this project")));
  EXPECT_THAT(findings_in("include/rooflab/cost/cost.hpp", "#include \"cost/rules.hpp\"\n"),
              ElementsAre(HasSubstr("a public header includes the private")));
}

TEST(Includes, AFolderThatIsNoRoomIsFound) {
  EXPECT_THAT(findings_in("src/tools/x.cpp", ""), ElementsAre(HasSubstr("'tools' is not a room")));
}

TEST(Names, ThatSayNothingAreFound) {
  EXPECT_THAT(check_names("src/zoo/utils.cpp"), ElementsAre(HasSubstr("called 'utils'")));
  EXPECT_THAT(check_names("src/common/x.cpp"), ElementsAre(HasSubstr("called 'common'")));
  EXPECT_THAT(check_names("tests/unit/zoo/vgg_helpers_test.cpp"),
              ElementsAre(HasSubstr("called 'helpers'")));
  EXPECT_THAT(check_names("src/cost/tensor_core.cpp"), IsEmpty());
}

TEST(Names, OfFilesAreOfOneRoom) {
  const std::vector<fs::path> sources = {"src/zoo/layer.cpp",      "include/rooflab/zoo/layer.hpp",
                                         "src/cost/rules.hpp",     "src/graph/rules.hpp",
                                         "src/cost/op_fields.cpp", "src/graph/op_fields.cpp"};
  EXPECT_THAT(check_stems(sources, {}), IsEmpty());
  std::vector<fs::path> more = sources;
  more.emplace_back("workers/torch/layer.cpp");
  EXPECT_THAT(check_stems(more, {}),
              ElementsAre("'layer' is the name of files in workers/torch, zoo"));
  EXPECT_THAT(check_stems(more, {"layer"}), IsEmpty());
  EXPECT_THAT(check_stems(sources, {"layer"}),
              ElementsAre("'layer' is in one room: take it out of tools/layers.txt"));
  EXPECT_THAT(parse_rules("stem layer op\n").shared_stems, ElementsAre("layer", "op"));
}

TEST(ThisProject, KeepsTheLayers) {
  const Rules rules = parse_rules(text_of("tools/layers.txt"));
  EXPECT_THAT(rules.problems, IsEmpty());
  int checked = 0;
  for (const char* folder : {"include", "src", "workers", "inject"}) {
    for (const fs::path& file : files_below(folder)) {
      if (file.extension() == ".md") continue;
      for (const std::string& finding : check_source(rules, file, text_of(file), is_project_file)) {
        ADD_FAILURE() << finding;
      }
      ++checked;
    }
  }
  EXPECT_GT(checked, 20);
}

TEST(LayerRules, AFlagIsALiteralThatBeginsWithDashes) {
  EXPECT_THAT(flags_in("a.cpp", "f(\"x\");\nf(\"--batch\", \"--\");\n"),
              ElementsAre("a.cpp:2: a flag is named below the requests' tables"));
  EXPECT_THAT(flags_in("a.cpp", "\"--\" + key"), IsEmpty());
}

TEST(ThisProject, NamesNoFlagBelowTheRequests) {
  const fs::path calls_ncu = "src/import/ncu/ncu_report.cpp";  // the flags of Nsight Compute
  std::set<std::string> below = parse_rules(text_of("tools/layers.txt")).allowed.at("task");
  below.erase("task");
  EXPECT_TRUE(below.contains("findings"));
  for (const char* folder : {"include", "src"}) {
    for (const fs::path& file : files_below(folder)) {
      if (file == calls_ncu || !below.contains(room_of(file))) continue;
      for (const std::string& flag : flags_in(file, text_of(file))) ADD_FAILURE() << flag;
    }
  }
}

TEST(ThisProject, ListsItsPublicHeaders) {
  const std::vector<fs::path> files = files_below("include");
  for (const std::string& finding : check_public_headers(parse_rules(text_of("tools/layers.txt")),
                                                         {files.begin(), files.end()})) {
    ADD_FAILURE() << finding;
  }
}

TEST(ThisProject, NamesFilesOfTwoRoomsDifferently) {
  std::vector<fs::path> sources;
  for (const char* folder : {"include", "src", "workers", "inject"}) {
    for (const fs::path& file : files_below(folder)) {
      if (!file.extension().empty() && file.extension() != ".md") sources.push_back(file);
    }
  }
  const Rules rules = parse_rules(text_of("tools/layers.txt"));
  for (const std::string& finding : check_stems(sources, rules.shared_stems)) {
    ADD_FAILURE() << finding;
  }
}

TEST(ThisProject, NamesThingsByWhatTheyAre) {
  for (const char* folder :
       {"include", "src", "workers", "inject", "tests", "bench", "fuzz", "tools", "cmake"}) {
    for (const fs::path& file : files_below(folder)) {
      for (const std::string& finding : check_names(file)) ADD_FAILURE() << finding;
    }
  }
}

}  // namespace
}  // namespace rooflab::layers
