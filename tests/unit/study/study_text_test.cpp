#include "study/study_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/study.hpp"

namespace rooflab::study {
namespace {

constexpr std::string_view cases =
    "title = \"A\"\n[[cases]]\nmode = \"summary\"\nmodel = \"resnet18\"\n";

Study study_with(const std::string& texts) {
  return read_study(std::string(cases) + texts, "a.toml");
}

TEST(StudyText, StandsInTheOrderOfThePage) {
  const Study study = study_with(
      "[[text]]\nposition = \"conclusion\"\ntext = \"c\"\n"
      "[[text]]\ntitle = \"What it means\"\ntext = \"d\"\n"
      "[[text]]\nposition = \"introduction\"\ntext = \"i\"\n");
  ASSERT_EQ(study.texts.size(), 3U);
  EXPECT_EQ(study.texts[0].title, "Introduction");
  EXPECT_EQ(study.texts[1].title, "What it means");
  EXPECT_EQ(study.texts[1].position, StudyText::Position::discussion);
  EXPECT_EQ(study.texts[2].title, "Conclusion");
  EXPECT_EQ(text_sections(study.texts, StudyText::Position::discussion).at(0).text, "d");
}

TEST(StudyText, AWrongPositionIsAnErrorWithItsPlace) {
  try {
    (void)study_with("[[text]]\nposition = \"discusion\"\ntext = \"c\"\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.location().line, 6);
    EXPECT_NE(error.hint().find("discussion"), std::string::npos);
  }
}

TEST(StudyText, TheTextIsRequired) {
  EXPECT_THROW((void)study_with("[[text]]\ntitle = \"c\"\n"), Error);
}

}  // namespace
}  // namespace rooflab::study
