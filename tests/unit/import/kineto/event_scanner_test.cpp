#include "import/kineto/event_scanner.hpp"

#include <gtest/gtest.h>

#include <string>

namespace rooflab::import::kineto {
namespace {

using State = EventScanner::State;

/// The framed texts, with a bar before one that is not joined to its neighbour.
std::vector<std::string> texts(std::string_view text, const std::vector<Frame>& frames) {
  std::vector<std::string> result;
  for (const Frame& frame : frames) {
    result.push_back((frame.joined ? "" : "|") +
                     std::string(text.substr(frame.begin, frame.end - frame.begin)));
  }
  return result;
}

using Texts = std::vector<std::string>;

TEST(EventScanner, FramesEventsAndFindsTheEnd) {
  const std::string text = R"( {"a": 1}, {"b": [{}, "}"]},{} ], "traceName": "x")";
  EventScanner scanner;
  std::vector<Frame> frames;
  EXPECT_EQ(scanner.scan(text, true, frames), State::closed);
  EXPECT_EQ(texts(text, frames), (Texts{R"(|{"a": 1})", R"({"b": [{}, "}"]})", "{}"}));
  EXPECT_EQ(text.substr(scanner.position()), R"(, "traceName": "x")");
}

TEST(EventScanner, QuotesAndBackslashesAtEveryPlaceOfABlock) {
  const std::string event = R"({"n": "a\\\"}{\\", "m": "\\"})";
  for (std::size_t blanks = 0; blanks < 130; ++blanks) {
    const std::string text = std::string(blanks, ' ') + event + "," + event + "]";
    EventScanner scanner;
    std::vector<Frame> frames;
    ASSERT_EQ(scanner.scan(text, true, frames), State::closed) << blanks;
    ASSERT_EQ(texts(text, frames), (Texts{"|" + event, event})) << blanks;
  }
}

TEST(EventScanner, TextThatGrowsGivesTheSameFrames) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text +=
        "\n  {\"i\": " + std::to_string(i) + ", \"s\": \"" + std::string(i * 3, '{') + "\\\"\"},";
  }
  text.back() = ']';
  for (std::size_t step = 1; step < 200; step += 7) {
    EventScanner scanner;
    std::size_t begin = 0;  // begin of the held text
    int found = 0;
    State state = State::more;
    for (std::size_t end = step; state == State::more; end += step) {
      const bool last = end >= text.size();
      const std::string_view held = std::string_view(text).substr(begin, end - begin);
      std::vector<Frame> frames;
      state = scanner.scan(held, last, frames);
      for (const Frame& frame : frames) {
        const std::string_view event = held.substr(frame.begin, frame.end - frame.begin);
        ASSERT_TRUE(event.starts_with("{\"i\": " + std::to_string(found) + ",")) << event;
        ASSERT_TRUE(event.ends_with("\"}")) << event;
        ++found;
      }
      if (state == State::more) {
        ASSERT_FALSE(last);
        const std::size_t drop = scanner.needed_from();
        begin += drop;
        scanner.shift(drop);
      }
    }
    ASSERT_EQ(found, 40) << step;
  }
}

TEST(EventScanner, SaysWhatStandsBetweenEvents) {
  const std::string text = "{}, oops {},,{} {}]";
  EventScanner scanner;
  std::vector<Frame> frames;
  EXPECT_EQ(scanner.scan(text, true, frames), State::closed);
  EXPECT_EQ(texts(text, frames), (Texts{"|{}", "|{}", "|{}", "|{}"}));
  EXPECT_EQ(scanner.take_stray(), 4U);
  EXPECT_EQ(scanner.take_stray(), std::nullopt);
}

TEST(EventScanner, ALostQuoteBreaksItsOwnEvent) {
  const std::string text = "\n  {\"name\": \"a},\n  {\"name\": \"b\"}\n]";
  EventScanner scanner;
  std::vector<Frame> frames;
  ASSERT_EQ(scanner.scan(text, true, frames), State::broken);
  EXPECT_EQ(scanner.open_event(), 3U);
  const auto next = next_event(text, scanner.position());
  ASSERT_EQ(next, text.rfind('{'));
  scanner.restart(*next);
  EXPECT_EQ(scanner.scan(text, true, frames), State::closed);
  EXPECT_EQ(texts(text, frames), (Texts{R"(|{"name": "b"})"}));
}

TEST(EventScanner, ABracketOfTheOtherKindBreaksTheEvent) {
  const std::string text = R"({}, {"a": [1}, {"b": 2}])";
  EventScanner scanner;
  std::vector<Frame> frames;
  ASSERT_EQ(scanner.scan(text, true, frames), State::broken);
  EXPECT_EQ(texts(text, frames), (Texts{"|{}"}));
  EXPECT_EQ(scanner.open_event(), 4U);
  EXPECT_EQ(scanner.position(), text.find("}, {\"b"));
  scanner.restart(next_event(text, scanner.position()).value());
  EXPECT_EQ(scanner.scan(text, true, frames), State::closed);
  EXPECT_EQ(texts(text, frames), (Texts{"|{}", R"(|{"b": 2})"}));
}

TEST(EventScanner, EventsBeginLinesOrFollowOthers) {
  EXPECT_EQ(next_event("{}", 0), std::nullopt);
  EXPECT_EQ(next_event("\n  {}", 0), 3U);
  EXPECT_EQ(next_event("\n  {}", 4), std::nullopt);
  EXPECT_EQ(next_event("\"a\": {\"b\": {}}, {}", 0), 16U);
  EXPECT_EQ(next_event("1, {}", 0), std::nullopt);
  EXPECT_EQ(next_event("},,{}", 0), std::nullopt);
  EXPECT_EQ(next_event("}," + std::string(300, ' ') + "{}", 0), std::nullopt);
}

TEST(EventScanner, ALineFeedInAStringIsNoLostQuote) {
  const std::string text = "{\"name\": \"two\nlines\"},{}]";
  EventScanner scanner;
  std::vector<Frame> frames;
  EXPECT_EQ(scanner.scan(text, true, frames), State::closed);
  EXPECT_EQ(frames.size(), 2U);
}

TEST(EventScanner, DepthHasNoLimit) {
  const std::string text = std::string(100'000, '[') + std::string(100'000, ']') + "]";
  EventScanner scanner;
  std::vector<Frame> frames;
  EXPECT_EQ(scanner.scan(text, true, frames), State::closed);
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(frames.front().end, 200'000U);
}

}  // namespace
}  // namespace rooflab::import::kineto
