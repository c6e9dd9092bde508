#include <algorithm>
#include <optional>
#include <vector>

#include "base/format.hpp"
#include "known_layers.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace rooflab::zoo {
namespace {

constexpr std::string_view example = "for example --layer conv='conv2d(64,64,k=3,p=1)'";

bool is_module_name(std::string_view name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

void check_names(std::span<const ChainPiece> pieces) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (pieces[k].name != pieces[i].name) continue;
      throw Error(ErrorKind::usage,
                  format("two pieces of the chain are called '{}'", pieces[i].name),
                  "each needs its own name");
    }
  }
}

std::string chain_name(std::span<const ChainPiece> pieces) {
  std::vector<std::string> parts;
  for (const ChainPiece& piece : pieces) {
    if (piece.count > 0) parts.push_back(format("{}*{}", piece.name, piece.count));
  }
  if (parts.empty()) {
    throw Error(ErrorKind::usage, "the chain has no layer", std::string(example));
  }
  return join(parts, "+");
}

}  // namespace

ChainPiece chain_piece_from_text(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::size_t open = text.find('(');
  // The first `=` may be an argument's.
  const bool named = equals != std::string_view::npos && equals < open;
  const std::string_view name = named ? trim(text.substr(0, equals)) : std::string_view();
  if (!is_module_name(name)) {
    throw Error(ErrorKind::usage, format("a piece of a chain is NAME=LAYER, not '{}'", trim(text)),
                std::string(example));
  }
  return {std::string(name), std::string(trim(text.substr(equals + 1))), 1};
}

graph::Graph layer_chain(std::span<const ChainPiece> pieces, const graph::Shape& input) {
  check_names(pieces);
  graph::GraphBuilder builder(chain_name(pieces));
  graph::Shape shape = input;
  std::optional<graph::ValueId> last;
  for (const ChainPiece& piece : pieces) {
    const WrittenLayer layer(piece.layer);
    for (std::int64_t i = 0; i < piece.count; ++i) {
      const std::string leaf = format("{}.{}", piece.name, i);
      try {
        last = layer.add_to(builder, leaf, shape, last);
      } catch (const Error& error) {
        throw Error(
            error.kind(),
            format("piece '{}', layer {} of {}: {}", piece.name, i + 1, piece.count, error.what()),
            error.hint());
      }
      shape = builder.shape(*last);
    }
  }
  return std::move(builder).finish({*last});
}

}  // namespace rooflab::zoo
