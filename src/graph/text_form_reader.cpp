// The text form of a graph, read. docs/formats/graph.md has the grammar.
//
// Each line is read on its own; names are looked up among those defined above it. Ids follow the
// order of definition unless a line says otherwise, so values are put in place at the end. The
// verifier then checks the whole, and broken rules point at the lines that broke them.

#include <algorithm>
#include <unordered_map>

#include "base/format.hpp"
#include "broken_rule.hpp"
#include "op_reader.hpp"
#include "rooflab/graph/graph.hpp"
#include "text_cursor.hpp"
#include "text_symbols.hpp"

namespace rooflab::graph {
namespace {

/// Limit of the data in a text: tables of indices and masks, not weights.
constexpr std::int64_t max_elements = std::int64_t{1} << 24;

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Graph graph() {
    bool has_header = false;
    while (begin_ < text_.size()) {
      TextCursor cursor = next_line();
      cursor.skip_blanks();
      if (cursor.at_end() || cursor.peek() == '#') continue;
      if (!has_header) {
        read_header(cursor);
        has_header = true;
      } else {
        read_line(cursor);
      }
      cursor.skip_blanks();
      if (!cursor.at_end()) cursor.fail("expected the end of the line");
    }
    if (!has_header) fail_at_end("no graph: the first line must be 'graph NAME'");
    if (!has_outputs_) fail_at_end("the line 'outputs' is missing");
    place_values();
    require_no_broken_rule();
    return std::move(graph_);
  }

 private:
  struct Place {
    int line;
    int column;
  };
  struct Definition {
    ValueId id;
    Value value;
    Place place;
  };

  TextCursor next_line() {
    const std::size_t end = std::min(text_.find('\n', begin_), text_.size());
    std::string_view line = text_.substr(begin_, end - begin_);
    if (line.ends_with('\r')) line.remove_suffix(1);
    begin_ = end + 1;
    return {line, ++line_number_, file_};
  }

  void read_header(TextCursor& cursor) {
    if (!cursor.accept("graph ")) cursor.fail("the first line must be 'graph NAME'");
    cursor.skip_blanks();
    graph_.name = cursor.name("the graph's name");
  }

  /// A line with `=` behind its first name is a node, else that name says what the line declares.
  void read_line(TextCursor& cursor) {
    const std::size_t begin = cursor.position();
    const bool is_quoted = cursor.peek() == '"';
    std::string name = cursor.name("a node's name or a declaration");
    cursor.skip_blanks();
    if (has_outputs_) cursor.fail_at(begin, "nothing may follow the line 'outputs'");
    if (cursor.accept("=")) {
      read_node(cursor, std::move(name), begin);
    } else if (!is_quoted && name == outputs_word) {
      read_references(cursor, graph_.outputs, '\0');
      has_outputs_ = true;
    } else if (const auto kind = enum_from_word<ValueKind>(kind_words, name); kind && !is_quoted) {
      const ValueId id = read_definition(cursor, *kind, -1);
      if (*kind == ValueKind::input) graph_.inputs.push_back(id);
      cursor.skip_blanks();
      if (cursor.accept("=")) read_data(cursor, definitions_.back().value);
    } else {
      cursor.fail_at(begin, format("'{}' starts no line", name),
                     "expected input, parameter, buffer, constant, outputs or 'NODE = OP ...'");
    }
  }

  /// Steps over a word that may stand before the op; false: it does not.
  static bool accept_word(TextCursor& cursor, std::string_view word) {
    TextCursor ahead = cursor;
    if (ahead.token("an op") != word) return false;
    cursor.expect(word);
    cursor.skip_blanks();
    return true;
  }

  void read_node(TextCursor& cursor, std::string name, std::size_t begin) {
    node_places_.push_back({cursor.line_number(), static_cast<int>(begin) + 1});
    Node node;
    node.name = std::move(name);
    cursor.skip_blanks();
    node.training_only = accept_word(cursor, training_only_word);
    if (accept_word(cursor, holds_word)) {
      cursor.expect("(");
      read_references(cursor, node.holds, ')');
      cursor.expect(")");
      cursor.skip_blanks();
    }
    if (accept_word(cursor, issued_as_word)) {
      node.issued_as = cursor.name("a class of issue cost");
      cursor.skip_blanks();
    }
    node.op = read_op(cursor);
    cursor.expect("(");
    cursor.skip_blanks();
    read_references(cursor, node.inputs, ')');
    cursor.expect(")");
    cursor.skip_blanks();
    cursor.expect("->");
    cursor.skip_blanks();
    const auto id = static_cast<NodeId>(graph_.nodes.size());
    while (!cursor.at_end()) {
      node.outputs.push_back(read_definition(cursor, ValueKind::result, id));
      cursor.skip_blanks();
      if (!cursor.accept(",")) break;
      cursor.skip_blanks();
      if (cursor.at_end()) cursor.fail("expected a result after ','");
    }
    graph_.nodes.push_back(std::move(node));
  }

  /// `%a, %b` up to `end` (or the end of the line).
  void read_references(TextCursor& cursor, std::vector<ValueId>& ids, char end) {
    if (cursor.peek() == end) return;
    do {
      cursor.skip_blanks();
      const std::size_t begin = cursor.position();
      cursor.expect("%");
      const std::string name = cursor.name("a value's name");
      const auto found = ids_.find(name);
      if (found == ids_.end()) {
        cursor.fail_at(begin, format("value '{}' is not defined above", name));
      }
      ids.push_back(found->second);
      cursor.skip_blanks();
    } while (cursor.accept(","));
  }

  /// `%name f32[1x3]` or `%name@12 f32[1x3]`.
  ValueId read_definition(TextCursor& cursor, ValueKind kind, NodeId producer) {
    const Place place{cursor.line_number(), static_cast<int>(cursor.position()) + 1};
    const std::size_t begin = cursor.position();
    cursor.expect("%");
    Value value;
    value.name = cursor.name("a value's name");
    value.kind = kind;
    value.producer = producer;
    if (cursor.accept("@")) {
      const std::int64_t id = cursor.integer("an id");
      if (id < 0 || id > static_cast<std::int64_t>(text_.size())) {
        cursor.fail_at(begin, format("id {} is out of range", id));
      }
      next_id_ = static_cast<ValueId>(id);
    }
    cursor.skip_blanks();
    value.type.dtype = read_dtype(cursor);
    value.type.shape = read_extents(cursor);
    if (!ids_.emplace(value.name, next_id_).second) {
      cursor.fail_at(begin, format("value '{}' is defined already", value.name));
    }
    definitions_.push_back({next_id_, std::move(value), place});
    return next_id_++;
  }

  /// `[1,0*3]`, or `%a` for what a value above holds.
  void read_data(TextCursor& cursor, Value& value) {
    cursor.skip_blanks();
    if (cursor.peek() == '%') {
      std::vector<ValueId> owners;
      const std::size_t begin = cursor.position();
      read_references(cursor, owners, '\0');
      const auto owner = std::ranges::find(definitions_, owners.front(), &Definition::id);
      if (owners.size() != 1 || owner->value.data == nullptr) {
        cursor.fail_at(begin, "expected one constant that holds data");
      }
      value.data = owner->value.data;
      return;
    }
    auto data = std::make_shared<ConstantData>();
    if (is_floating(value.type.dtype)) {
      read_runs(cursor, data->numbers, parse_number);
    } else {
      read_runs(cursor, data->integers, parse_integer);
    }
    value.data = std::move(data);
  }

  template <class Element, class Parse>
  static void read_runs(TextCursor& cursor, std::vector<Element>& elements, Parse parse) {
    cursor.expect("[");
    if (cursor.accept("]")) return;
    do {
      const std::size_t begin = cursor.position();
      const std::string_view run = cursor.token("an element");
      const std::size_t star = std::min(run.find('*'), run.size());
      const auto element = parse(run.substr(0, star));
      const auto count =
          star == run.size() ? std::optional<std::int64_t>(1) : parse_integer(run.substr(star + 1));
      if (!element || !count || *count < 1) {
        cursor.fail_at(begin, format("'{}' is not an element of this type", run));
      }
      if (*count > max_elements - static_cast<std::int64_t>(elements.size())) {
        cursor.fail_at(begin, format("more than {} elements of data", max_elements));
      }
      elements.insert(elements.end(), static_cast<std::size_t>(*count), *element);
    } while (cursor.accept(","));
    cursor.expect("]");
  }

  static Shape read_extents(TextCursor& cursor) {
    std::vector<std::int64_t> dims;
    cursor.expect("[");
    if (!cursor.accept("]")) {
      do {
        dims.push_back(cursor.integer("an extent"));
      } while (cursor.accept("x"));
      cursor.expect("]");
    }
    return Shape(std::move(dims));
  }

  void place_values() {
    graph_.values.resize(definitions_.size());
    value_places_.resize(definitions_.size(), {0, 0});
    for (Definition& definition : definitions_) {
      const auto index = static_cast<std::size_t>(definition.id);
      if (index >= definitions_.size()) {
        fail_at_place(definition.place, format("id {} leaves a gap below it", definition.id));
      }
      if (value_places_[index].line != 0) {
        fail_at_place(definition.place, format("id {} is taken already", definition.id));
      }
      graph_.values[index] = std::move(definition.value);
      value_places_[index] = definition.place;
    }
  }

  void require_no_broken_rule() const {
    const std::vector<BrokenRule> broken = find_broken_rules(graph_);
    if (broken.empty()) return;
    const BrokenRule& first = broken.front();
    Place place{line_number_, 1};
    if (first.node >= 0) place = node_places_[static_cast<std::size_t>(first.node)];
    if (first.value >= 0) place = value_places_[static_cast<std::size_t>(first.value)];
    fail_at_place(place, first.sentence);
  }

  [[noreturn]] void fail_at_place(Place place, const std::string& message) const {
    throw Error(ErrorKind::input, message, {},
                Location{file_, place.line, place.column, std::nullopt});
  }
  [[noreturn]] void fail_at_end(const std::string& message) const {
    fail_at_place({std::max(line_number_, 1), 1}, message);
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t begin_ = 0;
  int line_number_ = 0;
  Graph graph_;
  bool has_outputs_ = false;
  ValueId next_id_ = 0;
  std::unordered_map<std::string, ValueId> ids_;
  std::vector<Definition> definitions_;
  std::vector<Place> value_places_;
  std::vector<Place> node_places_;
};

}  // namespace

Graph parse_text(std::string_view text, const std::string& file_name) {
  return Reader(text, file_name).graph();
}

}  // namespace rooflab::graph
