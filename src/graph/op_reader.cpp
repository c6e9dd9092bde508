#include "op_reader.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "op_fields.hpp"
#include "text_symbols.hpp"

namespace rooflab::graph {
namespace {

/// A word that must be one of a set of names.
template <class Enum, class Lookup>
void read_word(TextCursor& cursor, Enum& target, std::string_view what, Lookup lookup) {
  const std::size_t begin = cursor.position();
  const std::string_view word = cursor.token(what);
  const std::optional<Enum> found = lookup(word);
  if (!found) cursor.fail_at(begin, format("'{}' is not a valid {}", word, what));
  target = *found;
}

void read(TextCursor& cursor, std::int64_t& target) { target = cursor.integer("an integer"); }
void read(TextCursor& cursor, std::string& target) { target = cursor.quoted(); }
void read(TextCursor& cursor, double& target) {
  read_word(cursor, target, "number", [](auto word) { return parse_number(word); });
}
void read(TextCursor& cursor, bool& target) {
  read_word(cursor, target, "truth value (true, false)", [](auto word) -> std::optional<bool> {
    if (word == "true") return true;
    if (word == "false") return false;
    return std::nullopt;
  });
}
void read(TextCursor& cursor, DType& target) {
  read_word(cursor, target, "element type", from_name<DType>);
}
void read(TextCursor& cursor, UnaryFunction& target) {
  read_word(cursor, target, "unary function", unary_function_from_name);
}
void read(TextCursor& cursor, BinaryFunction& target) {
  read_word(cursor, target, "binary function", binary_function_from_name);
}
void read(TextCursor& cursor, ReduceFunction& target) {
  read_word(cursor, target, "reduction", reduce_function_from_name);
}
template <HasWords Enum>
void read(TextCursor& cursor, Enum& target) {
  constexpr auto known = words_of(For<Enum>{});
  read_word(cursor, target, known.what,
            [&known](auto word) { return enum_from_word<Enum>(known.words, word); });
}
void read(TextCursor& cursor, std::optional<double>& target) { read(cursor, target.emplace()); }
void read(TextCursor& cursor, std::optional<std::int64_t>& target) {
  read(cursor, target.emplace());
}
void read(TextCursor& cursor, std::optional<DType>& target) { read(cursor, target.emplace()); }
void read(TextCursor& cursor, Shape& target);

template <class Element>
void read(TextCursor& cursor, std::vector<Element>& target) {
  target.clear();
  cursor.expect("[");
  if (cursor.accept("]")) return;
  do {
    read(cursor, target.emplace_back());
  } while (cursor.accept(","));
  cursor.expect("]");
}

void read(TextCursor& cursor, Shape& target) {
  std::vector<std::int64_t> dims;
  read(cursor, dims);
  target = Shape(std::move(dims));
}

template <class Struct>
[[noreturn]] void fail_unknown_attribute(const TextCursor& cursor, std::size_t begin,
                                         std::string_view name) {
  std::vector<std::string> names;
  for_each_field<Struct>([&names](const auto& field) { names.emplace_back(field.name); });
  cursor.fail_at(begin, format("'{}' has no attribute '{}'", facts<Struct>.word, name),
                 names.empty() ? "it has none" : "it has " + join(names, ", "));
}

/// `name=value` pairs up to the operands.
template <class Struct>
Op read_attributes(TextCursor& cursor) {
  Struct attributes;
  std::vector<std::string_view> seen;
  for (cursor.skip_blanks(); cursor.peek() != '('; cursor.skip_blanks()) {
    const std::size_t begin = cursor.position();
    const std::string_view name = cursor.token("an attribute or '('");
    if (std::ranges::find(seen, name) != seen.end()) {
      cursor.fail_at(begin, format("attribute '{}' is given twice", name));
    }
    seen.push_back(name);
    bool is_known = false;
    for_each_field<Struct>([&](const auto& field) {
      if (field.name != name) return;
      is_known = true;
      cursor.expect("=");
      read(cursor, attributes.*field.member);
    });
    if (!is_known) fail_unknown_attribute<Struct>(cursor, begin, name);
  }
  return attributes;
}

/// Tries the alternatives of Op one after the other.
template <std::size_t Alternative = 0>
Op read_alternative(TextCursor& cursor) {
  if constexpr (Alternative == std::variant_size_v<Op>) {
    std::vector<std::string> words;
    const auto collect = [&words]<std::size_t... I>(std::index_sequence<I...>) {
      (words.emplace_back(facts<std::variant_alternative_t<I, Op>>.word), ...);
    };
    collect(std::make_index_sequence<std::variant_size_v<Op>>{});
    const std::size_t begin = cursor.position();
    const std::string word(cursor.token("an op"));
    cursor.fail_at(begin, format("unknown op '{}'", word), near_hint(word, words, ""));
  } else {
    using Struct = std::variant_alternative_t<Alternative, Op>;
    TextCursor ahead = cursor;
    if (ahead.token("an op") == facts<Struct>.word) {
      cursor.token("an op");
      return read_attributes<Struct>(cursor);
    }
    return read_alternative<Alternative + 1>(cursor);
  }
}

}  // namespace

DType read_dtype(TextCursor& cursor) {
  DType dtype = DType::f32;
  read(cursor, dtype);
  return dtype;
}

Op read_op(TextCursor& cursor) { return read_alternative(cursor); }

}  // namespace rooflab::graph
