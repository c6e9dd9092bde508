// The language of hypotheses, read by recursive descent; docs/methods/hypotheses.md has the
// grammar, of which every rule is a level or a function below. A chain of comparisons stays one
// node, and so do all operands of a sum, a product, `and` and `or`.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "statement.hpp"
#include "statement_cursor.hpp"
#include "unit_clash.hpp"

namespace rooflab::study {
namespace {

/// Brackets, `not` and minus within each other: far more than a reader can follow, far less than a
/// stack can hold.
constexpr int deepest = 100;

/// Operators that stand side by side.
struct Level {
  Node::Kind kind = Node::Kind::number;
  /// The first that fits is taken: `<=` comes before `<`.
  std::array<std::string_view, 6> operators;
};
/// Those that hold their operands together the least come first.
constexpr Level levels[] = {
    {Node::Kind::disjunction, {"or"}},
    {Node::Kind::conjunction, {"and"}},
    {Node::Kind::comparison, {"<=", ">=", "==", "<", ">", "~"}},
    {Node::Kind::sum, {"+", "-"}},
    {Node::Kind::product, {"*", "/"}},
};

class StatementReader {
 public:
  StatementReader(std::string_view text, const Location& place) : cursor_(text, place) {}

  Statement check(const Location& place) {
    constexpr const char* example = "for example time(resnet50) > time(resnet18)";
    Node root = whole("the check", example);
    if (!root.is_truth()) cursor_.fail_at(root.offset, "the check compares nothing", example);
    return {std::move(root), std::move(figures_), place};
  }

  Statement number(const Location& place) {
    Node root = whole("the value", "for example time, or memory / parameter_memory");
    require_number(root, "a table or chart");
    return {std::move(root), std::move(figures_), place};
  }

 private:
  Node whole(std::string_view subject, const std::string& example) {
    cursor_.skip_blanks();
    if (cursor_.at_end()) cursor_.fail(format("{} is empty", subject), example);
    Node root = chain();
    cursor_.skip_blanks();
    if (!cursor_.at_end()) fail_at_rest();
    if (figures_.empty()) {
      cursor_.fail_at(root.offset, format("{} names no figure", subject), example);
    }
    if (const std::optional<UnitClash> clash = unit_clash(root, figures_)) {
      cursor_.fail_at(clash->offset, clash->message, clash->hint);
    }
    return root;
  }

  /// What `inside` reads, a level deeper.
  template <class Inside>
  Node nested(Inside inside) {
    if (++depth_ > deepest) cursor_.fail(format("the check is nested more than {} deep", deepest));
    Node node = inside();
    --depth_;
    return node;
  }

  /// Operands with operators of one level between them; one alone is itself.
  Node chain(const Level* level = levels) {
    if (level == std::end(levels)) return factor();
    if (level->kind == Node::Kind::comparison) {
      cursor_.skip_blanks();
      const std::size_t offset = cursor_.offset();
      if (cursor_.accept_word("not")) return nested([&] { return negation(level, offset); });
    }
    Node first = chain(level + 1);
    std::string_view sign = accept_one_of(level->operators);
    if (sign.empty()) return first;
    const auto check = [&](const Node& node) {
      if (level->kind > Node::Kind::comparison) return require_truth(node, sign);
      require_number(node,
                     level->kind == Node::Kind::comparison ? "a comparison" : format("'{}'", sign));
    };
    check(first);
    Node node = holding(level->kind, std::move(first));
    for (; !sign.empty(); sign = accept_one_of(level->operators)) {
      node.operators.push_back(sign);
      node.operands.push_back(chain(level + 1));
      check(node.operands.back());
    }
    return node;
  }

  Node negation(const Level* level, std::size_t offset) {
    Node operand = chain(level);
    require_truth(operand, "not");
    return holding(Node::Kind::negation, std::move(operand), offset);
  }

  /// Empty where none of them is here.
  std::string_view accept_one_of(std::span<const std::string_view> operators) {
    for (const std::string_view each : operators) {
      if (each.empty()) break;
      if (is_operator(each) ? cursor_.accept_word(each) : cursor_.accept(each)) return each;
    }
    return {};
  }

  Node factor() {
    cursor_.skip_blanks();
    const std::size_t offset = cursor_.offset();
    if (cursor_.accept("-")) {
      return nested([&] {
        Node operand = factor();
        require_number(operand, "'-'");
        return holding(Node::Kind::minus, std::move(operand), offset);
      });
    }
    if (cursor_.accept("(")) {
      return nested([&] {
        Node inner = chain();
        if (!cursor_.accept(")")) fail_at_rest();
        return inner;
      });
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
    const NumberUnit* const scale = unit();
    const double value =
        parse_number(digits).value_or(std::nan("")) * (scale == nullptr ? 1.0 : scale->factor);
    if (!std::isfinite(value)) cursor_.fail_at(offset, "the number is too large or too small");
    Node node;
    node.offset = offset;
    node.number = value;
    node.written = cursor_.text_from(offset);
    if (scale != nullptr) node.unit = scale->base;
    return node;
  }

  /// The unit behind a number, which a blank may separate; nullptr without one.
  const NumberUnit* unit() {
    const std::size_t behind = cursor_.offset();
    if (cursor_.accept("%")) return find_number_unit("%");
    const std::size_t begin = cursor_.offset();
    const std::string word(cursor_.word());
    if (word.empty() || is_operator(word) || find_quantity(word) != nullptr) {
      cursor_.go_back(behind);
      return nullptr;
    }
    const std::size_t behind_word = cursor_.offset();
    if (cursor_.peek() == '/') {
      (void)cursor_.accept("/");
      const std::string_view per = cursor_.word();
      const NumberUnit* const rate = find_number_unit(cursor_.text_from(begin));
      if (per == "s" && rate != nullptr) return rate;
      cursor_.go_back(behind_word);
    }
    if (const NumberUnit* const known = find_number_unit(word)) return known;
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
        cursor_.fail("expected ',' or ')'", "put a value with blanks in quotes: 'VGG 16'");
      }
    }
  }

  CaseWord case_word() {
    cursor_.skip_blanks();
    const std::size_t begin = cursor_.offset();
    const bool is_quoted = cursor_.is_one_of("'\"");
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
    if (!cursor_.is_one_of("'\"")) return std::string(cursor_.up_to(value_ends));
    const std::size_t begin = cursor_.offset();
    const std::string quote(1, cursor_.peek());
    (void)cursor_.accept(quote);
    std::string quoted(cursor_.up_to(quote));
    if (!cursor_.accept(quote)) cursor_.fail_at(begin, "the quote is not closed");
    return quoted;
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

  /// What is behind an operand neither is an operator nor closes it.
  [[noreturn]] void fail_at_rest() const {
    if (depth_ > 0 && cursor_.at_end()) cursor_.fail("expected ')'");
    constexpr std::pair<char, std::string_view> hints[] = {
        {'=', "equal is '==', within 5 % of each other '~'"},
        {'!', "unequal is not a == b"},
        {'&', "both is 'and'"},
        {'|', "one of them is 'or'"},
        // Of UTF-8: signs such as these.
        {'\xE2', "they are written < <= > >= == ~ + - * /"}};
    for (const auto& [character, hint] : hints) {
      if (cursor_.peek() == character) cursor_.fail("expected an operator", std::string(hint));
    }
    if (cursor_.peek() == ')') cursor_.fail("the bracket closes nothing");
    cursor_.fail(depth_ > 0 ? "expected an operator or ')'" : "expected an operator",
                 "< <= > >= == ~ + - * / and or");
  }

  StatementCursor cursor_;
  int depth_ = 0;
  std::vector<FigureName> figures_;
  std::map<std::string, std::size_t> indices_;  ///< indices of figures by identity
};

}  // namespace

Statement read_statement(std::string_view text, const Location& place) {
  return StatementReader(text, place).check(place);
}

Statement read_number(std::string_view text, const Location& place) {
  return StatementReader(text, place).number(place);
}

}  // namespace rooflab::study
