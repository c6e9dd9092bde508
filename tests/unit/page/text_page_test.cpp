#include "page/text_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "page/text_lines.hpp"

namespace rooflab::page {
namespace {

using testing::ElementsAre;

Document with_notes() {
  Document document;
  document.notes = {explains("the columns"),
                    "one fact",
                    "another fact",
                    {"the answer lacks a part", NoteRank::changes},
                    answers("the total is 7")};
  return document;
}

TEST(TextPage, NotesByTheirRank) {
  EXPECT_EQ(text_page(with_notes(), {}),
            "the total is 7\n\nthe answer lacks a part\none fact\nanother fact\nthe columns\n");
}

TEST(TextPage, ThreeNotesAndHowManyMoreThereAre) {
  EXPECT_EQ(text_page(with_notes(), {.width = 80, .most_notes = 3}),
            "the total is 7\n\nthe answer lacks a part\none fact\nanother fact\n"
            "1 more note: --notes\n");
}

TEST(TextPage, ANoteIsOneLineUnlessAllAreAskedFor) {
  Document document;
  document.notes = {"a note that is longer than its line", answers("a result that is longer, too")};
  EXPECT_EQ(text_page(document, {.width = 20, .most_notes = 3}),
            "a result that is\nlonger, too\n\na note that is long…\n");
  EXPECT_EQ(text_page(document, {.width = 20}),
            "a result that is\nlonger, too\n\na note that is\nlonger than its line\n");
}

TEST(TextPage, NotesAreDimmedAndSuspectsStandOut) {
  Document document;
  document.notes = {"a fact", "resnet18: suspect: it spreads"};
  EXPECT_EQ(text_page(document, {.color = true}),
            "\x1b[2ma fact\x1b[0m\n\x1b[33mresnet18: suspect: it spreads\x1b[0m\n");
}

TEST(TextPage, CommandsStandInBlocksBelow) {
  Document document = with_notes();
  document.commands = {{"made by", "rooflab report a.json"}};
  EXPECT_THAT(text_page(document, {}),
              testing::EndsWith("the columns\n\nmade by:\nrooflab report a.json\n"));
}

TEST(TextLines, WordsThatAreLongerThanALineAreBroken) {
  EXPECT_THAT(wrapped_lines("see /usr/share/rooflab for it", 10),
              ElementsAre("see", "/usr/share", "/rooflab", "for it"));
  EXPECT_THAT(wrapped_lines("", 10), ElementsAre());
  EXPECT_THAT(wrapped_lines("one line", 0), ElementsAre("one line"));
}

TEST(TextLines, AShellReadsACommandAsBefore) {
  EXPECT_THAT(command_lines("ncu --metrics aaa,bbb,ccc 'two words' x", 16),
              ElementsAre("ncu --metrics \\", "aaa,bbb,ccc \\", "'two words' x"));
  EXPECT_THAT(command_lines("ncu --metrics aaaa,bbbb,cccc,dddd x", 16),
              ElementsAre("ncu --metrics \\", "aaaa,bbbb,cccc,\\", "dddd x"));
  EXPECT_THAT(command_lines("ncu", 16), ElementsAre("ncu"));
}

}  // namespace
}  // namespace rooflab::page
