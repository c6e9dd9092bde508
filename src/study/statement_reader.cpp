// The language of hypotheses, read by recursive descent; docs/methods/hypotheses.md has the
// grammar, of which every rule is a function below. A chain of comparisons stays one node, and so
// do all operands of a sum, a product, `and` and `or`.

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "number_unit.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "statement.hpp"
#include "statement_cursor.hpp"

namespace rooflab::study {
namespace {

/// Brackets, `not` and minus within each other: far more than a reader can follow, far less than a
/// stack can hold.
constexpr int deepest = 100;

/// Where a value without quotes ends.
constexpr std::string_view value_ends = "=,()'\" \t\r\n";

class StatementReader {
 public:
  StatementReader(std::string_view text, const Location& place) : cursor_(text, place) {}

  Statement read(const Location& place) {
    cursor_.skip_blanks();
    if (cursor_.at_end()) cursor_.fail("the check is empty", example());
    Node root = disjunction();
    cursor_.skip_blanks();
    if (!cursor_.at_end()) fail_at_rest();
    if (!root.is_truth()) cursor_.fail_at(root.offset, "the check compares nothing", example());
    if (figures_.empty()) cursor_.fail_at(root.offset, "the check names no figure", example());
    return {std::move(root), std::move(figures_), place};
  }

 private:
  static std::string example() { return "for example time(resnet50) > time(resnet18)"; }

  /// Counts how deep the text is nested here.
  class Nesting {
   public:
    explicit Nesting(StatementReader& reader) : depth_(reader.depth_) {
      if (++depth_ > deepest) {
        reader.cursor_.fail(format("the check is nested more than {} deep", deepest));
      }
    }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    ~Nesting() { --depth_; }

   private:
    int& depth_;
  };

  Node disjunction() {
    return joined(Node::Kind::disjunction, "or", [this] { return conjunction(); });
  }

  Node conjunction() {
    return joined(Node::Kind::conjunction, "and", [this] { return negation(); });
  }

  template <class Operand>
  Node joined(Node::Kind kind, std::string_view word, Operand operand) {
    Node first = operand();
    if (!cursor_.accept_word(word)) return first;
    require_truth(first, word);
    Node node = holding(kind, std::move(first));
    do {
      node.operands.push_back(operand());
      require_truth(node.operands.back(), word);
    } while (cursor_.accept_word(word));
    return node;
  }

  Node negation() {
    cursor_.skip_blanks();
    const std::size_t offset = cursor_.offset();
    if (!cursor_.accept_word("not")) return comparison();
    const Nesting nesting(*this);
    Node operand = negation();
    require_truth(operand, "not");
    return holding(Node::Kind::negation, std::move(operand), offset);
  }

  Node comparison() {
    Node first = sum();
    std::optional<Relation> relation = accept_relation();
    if (!relation) return first;
    require_number(first, "a comparison");
    Node node = holding(Node::Kind::comparison, std::move(first));
    for (; relation; relation = accept_relation()) {
      node.relations.push_back(*relation);
      node.operands.push_back(sum());
      require_number(node.operands.back(), "a comparison");
    }
    return node;
  }

  std::optional<Relation> accept_relation() {
    for (const Relation relation : values_of<Relation>) {
      if (cursor_.accept(name_of(relation))) return relation;
    }
    return std::nullopt;
  }

  Node sum() {
    return calculated(Node::Kind::sum, "+-", [this] { return product(); });
  }

  Node product() {
    return calculated(Node::Kind::product, "*/", [this] { return factor(); });
  }

  template <class Operand>
  Node calculated(Node::Kind kind, std::string_view signs, Operand operand) {
    Node first = operand();
    cursor_.skip_blanks();
    if (!stands_here(signs)) return first;
    Node node = holding(kind, std::move(first));
    while (stands_here(signs)) {
      const std::string sign(1, cursor_.peek());
      (void)cursor_.accept(sign);
      node.signs.push_back(sign.front());
      require_number(node.operands.back(), format("'{}'", sign));
      node.operands.push_back(operand());
      require_number(node.operands.back(), format("'{}'", sign));
      cursor_.skip_blanks();
    }
    return node;
  }

  Node factor() {
    cursor_.skip_blanks();
    const std::size_t offset = cursor_.offset();
    if (cursor_.accept("-")) {
      const Nesting nesting(*this);
      Node operand = factor();
      require_number(operand, "'-'");
      return holding(Node::Kind::minus, std::move(operand), offset);
    }
    if (cursor_.accept("(")) {
      const Nesting nesting(*this);
      Node inner = disjunction();
      if (!cursor_.accept(")")) fail_at_rest();
      return inner;
    }
    if (const std::string_view digits = cursor_.number(); !digits.empty()) return number(digits);
    const std::string_view word = cursor_.word();
    if (word.empty() || is_operator(word)) {
      cursor_.fail_at(offset, "expected a figure, a number or '('");
    }
    return figure(word, offset);
  }

  Node number(std::string_view digits) {
    const std::size_t behind = cursor_.offset();
    const std::size_t offset = behind - digits.size();
    const double value = parse_number(digits).value_or(std::nan("")) * unit();
    if (!std::isfinite(value)) cursor_.fail_at(offset, "the number is too large or too small");
    Node node;
    node.offset = offset;
    node.number = value;
    node.written = cursor_.text_from(offset);
    return node;
  }

  /// The factor of a unit behind a number, which a blank may separate; 1 without one.
  double unit() {
    const std::size_t behind = cursor_.offset();
    if (cursor_.accept("%")) return *unit_factor("%");
    const std::size_t begin = cursor_.offset();
    const std::string word(cursor_.word());
    if (word.empty() || is_operator(word) || find_quantity(word) != nullptr) {
      cursor_.go_back(behind);
      return 1.0;
    }
    const std::size_t behind_word = cursor_.offset();
    if (cursor_.peek() == '/') {
      (void)cursor_.accept("/");
      const std::string_view per = cursor_.word();
      const std::optional<double> rate = unit_factor(cursor_.text_from(begin));
      if (per == "s" && rate) return *rate;
      cursor_.go_back(behind_word);
    }
    if (const std::optional<double> factor = unit_factor(word)) return *factor;
    const std::vector<std::string> units = unit_names();
    cursor_.fail_at(begin, format("unknown unit '{}'", word),
                    near_hint(word, units, format("one of {}", join(units, ", "))));
  }

  Node figure(std::string_view name, std::size_t offset) {
    FigureName figure{find_quantity(name), {}};
    if (figure.quantity == nullptr) {
      cursor_.fail_at(
          offset, format("unknown quantity '{}'", name),
          near_hint(name, quantity_names(), format("one of {}", join(quantity_names(), ", "))));
    }
    if (cursor_.accept("(")) figure.words = words();
    const auto [known, is_new] = indices_.try_emplace(figure.identity(), figures_.size());
    if (is_new) figures_.push_back(std::move(figure));
    Node node;
    node.kind = Node::Kind::figure;
    node.offset = offset;
    node.figure = known->second;
    return node;
  }

  /// Up to the closing bracket.
  std::vector<CaseWord> words() {
    std::vector<CaseWord> words;
    if (cursor_.accept(")")) return words;
    while (true) {
      words.push_back(case_word());
      if (cursor_.accept(")")) return words;
      if (cursor_.at_end()) cursor_.fail("expected ')'");
      if (!cursor_.accept(",")) {
        cursor_.fail("expected ',' or ')'", "a value with blanks stands in quotes: 'VGG 16'");
      }
    }
  }

  CaseWord case_word() {
    cursor_.skip_blanks();
    const std::size_t begin = cursor_.offset();
    const bool is_quoted = stands_here("'\"");
    CaseWord word{{}, value()};
    if (!is_quoted && cursor_.accept("=")) {
      word.key = std::exchange(word.value, {});
      cursor_.skip_blanks();
      const std::size_t behind = cursor_.offset();
      word.value = value();
      if (word.value.empty()) cursor_.fail_at(behind, "expected a value");
      if (word.key.empty()) cursor_.fail_at(begin, "expected a key before '='");
    } else if (word.value.empty()) {
      cursor_.fail_at(begin, "expected a value, or a key and its value");
    }
    return word;
  }

  std::string value() {
    if (!stands_here("'\"")) return std::string(cursor_.up_to(value_ends));
    const std::size_t begin = cursor_.offset();
    const std::string quote(1, cursor_.peek());
    (void)cursor_.accept(quote);
    std::string quoted(cursor_.up_to(quote));
    if (!cursor_.accept(quote)) cursor_.fail_at(begin, "the quote is not closed");
    return quoted;
  }

  [[nodiscard]] bool stands_here(std::string_view characters) const {
    return !cursor_.at_end() && characters.find(cursor_.peek()) != std::string_view::npos;
  }

  static bool is_operator(std::string_view word) {
    return word == "and" || word == "or" || word == "not";
  }

  static Node holding(Node::Kind kind, Node operand) {
    const std::size_t offset = operand.offset;
    return holding(kind, std::move(operand), offset);
  }
  static Node holding(Node::Kind kind, Node operand, std::size_t offset) {
    Node node;
    node.kind = kind;
    node.offset = offset;
    node.operands.push_back(std::move(operand));
    return node;
  }

  void require_truth(const Node& node, std::string_view word) const {
    if (node.is_truth()) return;
    cursor_.fail_at(node.offset, format("'{}' takes comparisons, not numbers", word));
  }
  void require_number(const Node& node, std::string_view what) const {
    if (!node.is_truth()) return;
    cursor_.fail_at(node.offset, format("{} takes numbers, not comparisons", what));
  }

  /// Behind an operand stands neither an operator nor what closes it.
  [[noreturn]] void fail_at_rest() const {
    if (depth_ > 0 && cursor_.at_end()) cursor_.fail("expected ')'");
    switch (cursor_.peek()) {
      case '=':
        cursor_.fail("expected an operator", "equal is '==', within 5 % of each other '~'");
      case '!':
        cursor_.fail("expected an operator", "unequal is not a == b");
      case '&':
        cursor_.fail("expected an operator", "both is 'and'");
      case '|':
        cursor_.fail("expected an operator", "one of them is 'or'");
      case '\xE2':  // of UTF-8: signs such as these
        cursor_.fail("expected an operator", "they are written < <= > >= == ~ + - * /");
      case ')':
        cursor_.fail("the bracket closes nothing");
      default:
        cursor_.fail(depth_ > 0 ? "expected an operator or ')'" : "expected an operator",
                     "< <= > >= == ~ + - * / and or");
    }
  }

  StatementCursor cursor_;
  int depth_ = 0;
  std::vector<FigureName> figures_;
  std::map<std::string, std::size_t> indices_;  ///< indices of figures by identity
};

}  // namespace

std::string CaseWord::text() const {
  const bool is_bare = value.find_first_of(value_ends) == std::string::npos;
  const char quote = value.find('\'') == std::string::npos ? '\'' : '"';
  const std::string shown = is_bare ? value : quote + value + quote;
  return key.empty() ? shown : format("{}={}", key, shown);
}

std::string FigureName::text() const {
  std::string text(quantity->name);
  if (words.empty()) return text;
  std::vector<std::string> parts;
  for (const CaseWord& word : words) parts.push_back(word.text());
  return format("{}({})", text, join(parts, ", "));
}

std::string FigureName::identity() const {
  std::vector<std::string> parts;
  for (const CaseWord& word : words) parts.push_back(word.key + '=' + lowercase(word.value));
  std::ranges::sort(parts);
  return format("{}({})", quantity->name, join(parts, "\n"));
}

Statement read_statement(std::string_view text, const Location& place) {
  return StatementReader(text, place).read(place);
}

}  // namespace rooflab::study
