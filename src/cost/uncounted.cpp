// What a schedule's ops without a rule could change of an answer.
//
// An op with n^2 elements that multiplies, factors or inverts matrices does n^3 work, so its bytes
// say nothing about its time. It is known by its name alone: those of PyTorch's linear algebra
// (torch.linalg, torch.cholesky, ...) and of ONNX's operators (DeformConv, Det, MatMulInteger16,
// ...), of the domains of their vendors too.

#include <algorithm>
#include <array>
#include <string>

#include "rooflab/base/text.hpp"
#include "rooflab/cost/cost.hpp"

namespace rooflab::cost {
namespace {

constexpr std::int64_t negligible = 100;  ///< a hundredth of the bytes

/// Parts of a name that say it wherever they stand.
constexpr auto matrix_parts =
    std::to_array<std::string_view>({"linalg",      "matmul",       "gemm",
                                     "matrix_exp",  "matrix_power", "cholesky",
                                     "einsum",      "lstsq",        "triangular_solve",
                                     "inverse",     "attention",    "convolution",
                                     "lstm",        "addmm",        "addbmm",
                                     "baddbmm",     "multi_dot",    "chain_matmul",
                                     "householder", "ormqr",        "lobpcg"});

/// Words of a name that say it: `conv` of `DeformConv`, not of `convert`.
constexpr auto matrix_words = std::to_array<std::string_view>(
    {"conv", "conv1d", "conv2d", "conv3d",  "mm",    "bmm",  "mv",   "svd",
     "qr",   "geqrf",  "eig",    "eigh",    "lu",    "inv",  "pinv", "det",
     "gru",  "rnn",    "logdet", "slogdet", "cdist", "solve"});

/// `DeformConv`, `aten::linalg_inv_ex` -> deform conv, aten linalg inv ex.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  char before = '\0';
  for (const char letter : name) {
    const bool upper = letter >= 'A' && letter <= 'Z';
    const bool lower = letter >= 'a' && letter <= 'z';
    const bool digit = letter >= '0' && letter <= '9';
    if (!upper && !lower && !digit) {
      words.emplace_back();
    } else {
      if (upper && before >= 'a' && before <= 'z') words.emplace_back();
      words.back() += lowercase(std::string_view(&letter, 1));
    }
    before = letter;
  }
  return words;
}

bool does_matrix_work(const graph::Opaque& op) {
  const std::string name = lowercase(op.type);
  const auto holds = [&name](std::string_view part) { return name.find(part) != name.npos; };
  if (std::ranges::any_of(matrix_parts, holds)) return true;
  return std::ranges::any_of(words_of(op.type), [](const std::string& word) {
    return std::ranges::find(matrix_words, word) != matrix_words.end();
  });
}

Bytes known_bytes(const schedule::Schedule& schedule, const schedule::ScheduledOp& op) {
  Bytes bytes;
  for (const auto* list : {&op.reads, &op.writes}) {
    for (const schedule::TensorId id : *list) bytes += schedule.tensor(id).distinct_bytes();
  }
  return bytes;
}

/// nullptr for an op that has a rule, or whose importer knows its work.
const graph::Opaque* without_rule(const schedule::Schedule& schedule,
                                  const schedule::ScheduledOp& op) {
  if (op.node < 0 || !std::holds_alternative<schedule::NodeWork>(op.work)) return nullptr;
  const graph::Node& node = schedule.graph.nodes[static_cast<std::size_t>(op.node)];
  const auto* opaque = std::get_if<graph::Opaque>(&node.op);
  return opaque == nullptr || opaque->flops ? nullptr : opaque;
}

}  // namespace

Coverage coverage_of(const schedule::Schedule& schedule) {
  Bytes all;
  Bytes uncounted;
  Coverage coverage;
  for (const schedule::ScheduledOp& op : schedule.ops) {
    if (std::holds_alternative<schedule::ViewWork>(op.work)) continue;
    const Bytes bytes = known_bytes(schedule, op);
    all += bytes;
    const graph::Opaque* const opaque = without_rule(schedule, op);
    if (opaque == nullptr) continue;
    uncounted += bytes;
    coverage.memory = coverage.memory && opaque->bounded;
    coverage.time = coverage.time && !does_matrix_work(*opaque);
  }
  if (uncounted.value() > all.value() / negligible) coverage.memory = false;
  coverage.time = coverage.time && coverage.memory;
  return coverage;
}

}  // namespace rooflab::cost
