// The text form of a graph, written. docs/formats/graph.md has the grammar.
//
// Lines come in an order in which every name is defined before it is used: inputs, then each node
// after the parameters, buffers and constants that were declared before it. Ids are positions in
// the order of definition; where a graph numbers its values in another order, the id is written
// out, so that reading gives back the same ids.

#include <algorithm>
#include <unordered_map>

#include "base/format.hpp"
#include "op_fields.hpp"
#include "rooflab/graph/graph.hpp"
#include "text_symbols.hpp"

namespace rooflab::graph {
namespace {

void write_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
          out += format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void write_name(std::string& out, std::string_view name) {
  if (!name.empty() && std::ranges::all_of(name, is_bare)) {
    out += name;
  } else {
    write_quoted(out, name);
  }
}

void write(std::string& out, std::int64_t number) { out += std::to_string(number); }
void write(std::string& out, bool flag) { out += flag ? "true" : "false"; }
void write(std::string& out, double number) { out += format("{}", number); }  // shortest exact
void write(std::string& out, const std::string& text) { write_quoted(out, text); }
void write(std::string& out, DType dtype) { out += name_of(dtype); }
void write(std::string& out, UnaryFunction function) { out += name_of(function); }
void write(std::string& out, BinaryFunction function) { out += name_of(function); }
void write(std::string& out, ReduceFunction function) { out += name_of(function); }
template <HasWords Enum>
void write(std::string& out, Enum word) {
  out += words_of(For<Enum>{}).words[static_cast<std::size_t>(word)];
}
void write(std::string& out, const std::optional<double>& number) { write(out, *number); }
void write(std::string& out, const std::optional<DType>& dtype) { write(out, *dtype); }
void write(std::string& out, const std::optional<std::int64_t>& number) { write(out, *number); }
void write(std::string& out, const Shape& shape);

template <class Element>
void write(std::string& out, const std::vector<Element>& list) {
  out += '[';
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out += ',';
    write(out, list[i]);
  }
  out += ']';
}

void write(std::string& out, const Shape& shape) { write(out, shape.dims()); }

/// Attributes at their default are left out, but a choice of function or type is always shown.
void write_op(std::string& out, const Op& op) {
  std::visit(
      [&out]<class Struct>(const Struct& attributes) {
        [[maybe_unused]] static const Struct defaults{};
        out += facts<Struct>.word;
        for_each_field<Struct>([&](const auto& field) {
          const auto& attribute = attributes.*field.member;
          using Member = std::remove_cvref_t<decltype(attribute)>;
          if (!std::is_enum_v<Member> && attribute == defaults.*field.member) return;
          out += ' ';
          out += field.name;
          out += '=';
          write(out, attribute);
        });
      },
      op);
}

class Writer {
 public:
  explicit Writer(const Graph& graph) : graph_(graph), is_written_(graph.values.size(), false) {}

  std::string text() {
    out_ += "graph ";
    write_name(out_, graph_.name);
    out_ += '\n';
    for (const ValueId id : graph_.inputs) write_value(id);
    ValueId declared = 0;
    for (const Node& node : graph_.nodes) {
      const ValueId first = node.outputs.empty() ? declared : node.outputs.front();
      for (; declared < first; ++declared) write_declaration(declared);
      write_missing_operands(node, declared);
      write_node(node);
    }
    const auto end = static_cast<ValueId>(graph_.values.size());
    for (; declared < end; ++declared) write_declaration(declared);
    out_ += outputs_word;
    write_references(graph_.outputs, " ");
    out_ += '\n';
    return std::move(out_);
  }

 private:
  /// `declared` runs past ids in order; whatever was written out of order is skipped.
  void write_declaration(ValueId id) {
    const ValueKind kind = graph_.value(id).kind;
    if (kind == ValueKind::result || kind == ValueKind::input || is_written(id)) return;
    write_value(id);
  }

  void write_missing_operands(const Node& node, ValueId declared) {
    for (const ValueId id : node.inputs) {
      if (id >= declared) write_declaration(id);
    }
  }

  void write_value(ValueId id) {
    const Value& value = graph_.value(id);
    out_ += kind_words[static_cast<std::size_t>(value.kind)];
    out_ += ' ';
    write_definition(id);
    if (value.data != nullptr) write_data(id, *value.data);
    out_ += '\n';
  }

  /// The elements, or the name of the value above that shares them.
  void write_data(ValueId id, const ConstantData& data) {
    out_ += " = ";
    const auto [first, is_new] = data_owners_.emplace(&data, id);
    if (!is_new) {
      write_references({first->second}, "");
    } else if (data.numbers.empty()) {
      write_runs(data.integers);
    } else {
      write_runs(data.numbers);
    }
  }

  /// `[1,0*3]`: equal neighbours as one, with their count.
  template <class Element>
  void write_runs(const std::vector<Element>& elements) {
    out_ += '[';
    for (std::size_t i = 0; i < elements.size();) {
      std::size_t end = i + 1;
      while (end < elements.size() && elements[end] == elements[i]) ++end;
      if (i > 0) out_ += ',';
      write(out_, elements[i]);
      if (end - i > 1) out_ += format("*{}", end - i);
      i = end;
    }
    out_ += ']';
  }

  void write_node(const Node& node) {
    write_name(out_, node.name);
    out_ += " = ";
    if (node.training_only) out_.append(training_only_word).append(" ");
    if (!node.holds.empty()) {
      out_.append(holds_word).append(" (");
      write_references(node.holds, "");
      out_ += ") ";
    }
    if (!node.issued_as.empty()) {
      out_.append(issued_as_word).append(" ");
      write_name(out_, node.issued_as);
      out_ += ' ';
    }
    write_op(out_, node.op);
    out_ += " (";
    write_references(node.inputs, "");
    out_ += ") ->";
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      out_ += i == 0 ? " " : ", ";
      write_definition(node.outputs[i]);
    }
    out_ += '\n';
  }

  /// `%name f32[1x3]`, the id in between where it is not the next one.
  void write_definition(ValueId id) {
    const Value& value = graph_.value(id);
    out_ += '%';
    write_name(out_, value.name);
    if (id != next_) out_ += format("@{}", id);
    next_ = id + 1;
    is_written_[static_cast<std::size_t>(id)] = true;
    out_ += ' ';
    out_ += name_of(value.type.dtype);
    out_ += '[';
    for (std::size_t i = 0; i < value.type.shape.rank(); ++i) {
      if (i > 0) out_ += 'x';
      write(out_, value.type.shape[i]);
    }
    out_ += ']';
  }

  void write_references(const std::vector<ValueId>& ids, std::string_view lead) {
    for (std::size_t i = 0; i < ids.size(); ++i) {
      out_ += i == 0 ? lead : ", ";
      out_ += '%';
      write_name(out_, graph_.value(ids[i]).name);
    }
  }

  [[nodiscard]] bool is_written(ValueId id) const {
    return is_written_[static_cast<std::size_t>(id)];
  }

  const Graph& graph_;
  std::string out_;
  ValueId next_ = 0;  ///< the id that needs no mention
  std::vector<bool> is_written_;
  std::unordered_map<const ConstantData*, ValueId> data_owners_;
};

}  // namespace

std::string to_text(const Graph& graph) { return Writer(graph).text(); }

}  // namespace rooflab::graph
