// Which dimension of every tensor holds the batch.
//
// A network treats the samples of a batch alike and apart. So every tensor either does not depend
// on the input (weights, masks, positions) or holds the batch in exactly one dimension, alone or
// merged with others: [batch, C, H, W], [L, batch, E], [batch * heads, L, D], [L * batch, E]. We
// follow that dimension from the inputs through the nodes.
//
// Most ops need no separate rule. We infer each node's result twice, with the batch of the
// graph and with a probe, a large prime that no other extent has a factor of: the one extent that
// changed holds the batch. An op that does not infer with the probe, in whose result two extents
// changed or none, or that would work across the dimension (a softmax along it) cannot be right.
//
// Ops with extents among their attributes must be told the new ones. A Reshape keeps the order of
// elements, so it keeps the batch's stride, counted in elements of the flattened tensor:
//
//     stride = inner * (product of the extents after axis)
//
// A target dimension can hold the batch when the product of the extents after it divides the stride
// (the quotient is its inner) and inner * batch divides its extent. With a batch of 1 several can:
// [197, 1, 768] as [197, 12, 64] is [197, batch * 12, 64] or [197 * batch, 12, 64]. We try them in
// this order and go back to the last open choice where following ends:
//
//     1. the batch alone, in the same dimension as before with the same extents before it;
//     2. the batch alone, leftmost first;
//     3. the dimension that the target leaves open;
//     4. the batch outermost in a merged dimension (batch * heads);
//     5. the batch inside (length * batch).
//
// An Expand of something without batch (a class token) takes it in a dimension of the batch's
// extent, leftmost first, else it has none; data made from nothing likewise, except that with a
// batch of 1 it has none at first: it then broadcasts.
//
// A Concat does not broadcast. When its operands hold a batch of 1 and one of them holds none, that
// one (a class token whose Expand the exporter dropped as doing nothing) is repeated by a new
// Expand.
//
// Constants are the same for every batch at first. Where following ends at a node that would fit if
// constants grew with the batch (batch_constants.hpp), these hold a row for each sample, and we
// start again with that.
//
// An unknown op is assumed to keep the batch in dimension 0.

#include "batch_tracker.hpp"

#include <algorithm>
#include <span>

#include "base/format.hpp"
#include "batch_constants.hpp"
#include "extent_scaler.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/graph/op_facts.hpp"

namespace rooflab::graph {
namespace {

using MaybePlace = std::optional<BatchPlace>;

constexpr std::int64_t probe_batch = 1'000'003;

/// Enough for graphs that can be followed; bounds the search in one that cannot.
constexpr std::size_t max_steps_per_node = 64;

/// Constants that are found to hold the batch, one after the other, at most.
constexpr std::size_t max_batch_constants = 32;

/// Following ends here; the reason is for the message.
struct DeadEnd {
  std::string reason;
};

std::int64_t product_after(const Shape& shape, std::size_t axis) {
  return checked_product(std::span(shape.dims()).subspan(axis + 1));
}

/// The dimensions of a Reshape's result that can hold the batch, the likeliest first.
std::vector<MaybePlace> reshape_places(const Reshape& op, const Shape& from, const Shape& to,
                                       const BatchPlace& place, std::int64_t batch) {
  struct Candidate {
    BatchPlace place;
    int rank;
  };
  const std::int64_t stride = checked_multiply(place.inner, product_after(from, place.axis));
  std::vector<Candidate> candidates;
  bool same_so_far = true;
  for (std::size_t axis = 0; axis < to.rank(); ++axis) {
    const std::int64_t after = product_after(to, axis);
    if (after > 0 && stride % after == 0 && stride > 0) {
      const std::int64_t inner = stride / after;
      const std::int64_t one_outer = checked_multiply(inner, batch);
      if (to[axis] > 0 && to[axis] % one_outer == 0) {
        const bool is_alone = inner == 1 && to[axis] == batch;
        const bool is_same = is_alone && same_so_far && axis == place.axis;
        const bool is_open = op.target[axis] == -1;
        const int rank = is_same ? 1 : is_alone ? 2 : is_open ? 3 : to[axis] == one_outer ? 4 : 5;
        candidates.push_back({{axis, inner}, rank});
      }
    }
    same_so_far = same_so_far && axis < from.rank() && from[axis] == to[axis];
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::rank);
  std::vector<MaybePlace> places;
  for (const Candidate& candidate : candidates) places.emplace_back(candidate.place);
  return places;
}

/// Refuses an op that works across the batch, which one of its operands holds there.
void require_samples_alike(const Op& op, BatchAt at) {
  const bool alike = std::visit(
      [at]<class Struct>(const Struct& attributes) {
        return facts<Struct>.keeps_samples_apart(attributes, at);
      },
      op);
  if (!alike) throw DeadEnd{"it does not treat all samples alike"};
}

class Tracker {
 public:
  Tracker(const Graph& graph, const std::vector<BatchConstant>& constants)
      : graph_(graph),
        batch_(graph.batch()),
        places_(graph.values.size()),
        probed_(graph.values.size()) {
    for (std::size_t i = 0; i < probed_.size(); ++i) probed_[i] = graph.values[i].type;
    for (const ValueId id : graph.inputs) {
      TensorType& type = probed_[static_cast<std::size_t>(id)];
      if (type.shape.rank() == 0) continue;
      places_[static_cast<std::size_t>(id)] = BatchPlace{};
      type.shape[0] = probe_batch;
    }
    for (const BatchConstant& constant : constants) {
      places_[index_of(constant.value)] = BatchPlace{constant.axis, 1};
      probed_[index_of(constant.value)].shape[constant.axis] = probe_batch;
    }
  }

  /// Walks the nodes; at a dead end it goes back to the last node with a choice left. nullopt when
  /// no choice is left: failure() and missing_constants() then say why.
  std::optional<BatchTrack> track() {
    const std::size_t count = graph_.nodes.size();
    std::vector<MaybePlace> chosen(count);
    std::vector<std::vector<MaybePlace>> left(count);  // alternatives not tried, best last
    std::size_t steps = 0;
    for (std::size_t i = 0; i < count;) {
      const Node& node = graph_.nodes[i];
      left[i] = alternatives(node);
      std::ranges::reverse(left[i]);
      while (true) {
        const bool has_choice = !left[i].empty();
        std::string fault = has_choice ? std::string() : "no dimension can hold the batch";
        if (++steps > max_steps_per_node * count) return std::nullopt;
        if (has_choice) {
          chosen[i] = left[i].back();
          left[i].pop_back();
          fault = step(graph_.nodes[i], chosen[i]);
        }
        if (fault.empty()) break;
        if (reason_.empty() || i > farthest_) {
          farthest_ = i;
          reason_ = fault;
          BatchConstants missing =
              constants_with_batch({graph_, places_, probed_, batch_, probe_batch}, node);
          missing_ = std::move(missing.found);
          if (!missing.reason.empty()) reason_ = std::move(missing.reason);
        }
        while (left[i].empty()) {
          if (i == 0) return std::nullopt;
          --i;
        }
      }
      ++i;
    }
    std::vector<BatchRepeat> repeated = repeats(chosen);
    return BatchTrack{std::move(chosen), std::move(repeated), {}};
  }

  /// The constants that the node needs at which following ended.
  [[nodiscard]] const std::vector<BatchConstant>& missing_constants() const { return missing_; }

  [[nodiscard]] Error failure() const {
    const Node& node = graph_.nodes[farthest_];
    return {ErrorKind::input,
            format("node '{}' ({}) depends on the batch of {} and cannot take another: {}",
                   node.name, name_of(node.op), batch_, reason_),
            "export the network with a dynamic batch, or with the batch that you want"};
  }

 private:
  [[nodiscard]] const MaybePlace& place(ValueId id) const {
    return places_[static_cast<std::size_t>(id)];
  }

  /// Whether this operand of a Concat has no batch, could not have got one where it was made, and
  /// can be repeated for every sample.
  [[nodiscard]] bool is_repeated(const Node& node, const MaybePlace& chosen, ValueId id) const {
    if (!std::holds_alternative<Concat>(node.op) || !chosen || place(id) || batch_ != 1) {
      return false;
    }
    const Value& value = graph_.value(id);
    if (value.producer >= 0) {
      const Op& maker = graph_.nodes[static_cast<std::size_t>(value.producer)].op;
      if (std::holds_alternative<Generate>(maker) || std::holds_alternative<Expand>(maker)) {
        return false;
      }
    }
    return chosen->axis < value.type.shape.rank() && value.type.shape[chosen->axis] == 1;
  }

  [[nodiscard]] std::vector<BatchRepeat> repeats(const std::vector<MaybePlace>& chosen) const {
    std::vector<BatchRepeat> found;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      for (std::size_t k = 0; k < node.inputs.size(); ++k) {
        if (!is_repeated(node, chosen[i], node.inputs[k])) continue;
        found.push_back({static_cast<NodeId>(i), k, chosen[i]->axis});
      }
    }
    return found;
  }

  /// First operand with a batch.
  [[nodiscard]] std::optional<std::size_t> batched_operand(const Node& node) const {
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      if (place(node.inputs[k])) return k;
    }
    return std::nullopt;
  }

  /// Places of the batch that the node's attributes could follow, the likeliest first.
  [[nodiscard]] std::vector<MaybePlace> alternatives(const Node& node) const {
    const std::optional<std::size_t> batched = batched_operand(node);
    const Shape& result =
        node.outputs.empty() ? no_shape_ : graph_.type(node.outputs.front()).shape;
    if (std::holds_alternative<Generate>(node.op)) {
      std::vector<MaybePlace> places = alone_in(result, nullptr);
      places.insert(batch_ == 1 ? places.begin() : places.end(), std::nullopt);
      return places;
    }
    if (!batched) {
      if (!std::holds_alternative<Expand>(node.op)) return {std::nullopt};
      std::vector<MaybePlace> places = alone_in(result, &graph_.type(node.inputs.front()).shape);
      places.emplace_back(std::nullopt);
      return places;
    }
    const ValueId operand = node.inputs[*batched];
    const Shape& from = graph_.type(operand).shape;
    BatchPlace here = *place(operand);
    if (const auto* reshape = std::get_if<Reshape>(&node.op)) {
      return reshape_places(*reshape, from, result, here, batch_);
    }
    if (std::holds_alternative<Expand>(node.op)) here.axis += result.rank() - from.rank();
    return {here};
  }

  /// Dimensions that are the batch and nothing else and, in an Expand, are made by it.
  [[nodiscard]] std::vector<MaybePlace> alone_in(const Shape& result, const Shape* expanded) const {
    std::vector<MaybePlace> places;
    for (std::size_t axis = 0; axis < result.rank(); ++axis) {
      const std::size_t distance = result.rank() - axis;
      const bool is_made =
          expanded == nullptr || distance > expanded->rank() || expanded->from_end(distance) == 1;
      if (is_made && result[axis] == batch_) places.emplace_back(BatchPlace{axis, 1});
    }
    return places;
  }

  /// Places and probed types of the node's results; what is wrong, or nothing.
  std::string step(const Node& node, const MaybePlace& chosen) {
    try {
      const std::int64_t inner = common_inner(node, chosen);
      std::vector<TensorType> operands;
      for (const ValueId id : node.inputs) {
        operands.push_back(probed_[static_cast<std::size_t>(id)]);
        if (is_repeated(node, chosen, id)) operands.back().shape[chosen->axis] = probe_batch;
      }
      const std::vector<TensorType> results =
          chosen ? infer_types(with_batch_at(node.op, chosen->axis, batch_, probe_batch), operands)
                 : infer_types(node.op, operands);
      const bool is_batched = chosen || batched_operand(node);
      for (std::size_t k = 0; k < results.size(); ++k) {
        const auto index = static_cast<std::size_t>(node.outputs[k]);
        places_[index] = changed_place(graph_.values[index].type.shape, results[k].shape, inner);
        if (is_batched && !places_[index]) throw DeadEnd{"its result would lose the batch"};
        probed_[index] = results[k];
      }
      return {};
    } catch (const DeadEnd& end) {
      return end.reason;
    } catch (const Error& error) {
      return error.what();
    }
  }

  /// The inner factor of the results. Operands must agree, and the op must treat samples alike.
  [[nodiscard]] std::int64_t common_inner(const Node& node, const MaybePlace& chosen) const {
    std::optional<std::int64_t> inner;
    std::vector<const Shape*> shapes;
    for (const ValueId id : node.inputs) shapes.push_back(&graph_.type(id).shape);
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      const MaybePlace& operand = place(node.inputs[k]);
      if (!operand) {
        // Coordinates may be the same for all samples; else each sample has its own indices.
        const auto* scatter = std::get_if<Scatter>(&node.op);
        const bool is_shared = k == 1 && scatter != nullptr && scatter->form == IndexForm::nd;
        if (scatter != nullptr && !is_shared && batched_operand(node)) {
          throw DeadEnd{"its rows are of fixed samples"};
        }
        continue;
      }
      require_samples_alike(node.op, {k, operand->axis, shapes[k]->rank(), shapes});
      if (inner && *inner != operand->inner)
        throw DeadEnd{"its operands order samples differently"};
      inner = operand->inner;
    }
    const bool is_placed = std::holds_alternative<Reshape>(node.op) || !inner;
    return is_placed && chosen ? chosen->inner : inner.value_or(1);
  }

  /// The one dimension that grew with the batch.
  [[nodiscard]] MaybePlace changed_place(const Shape& before, const Shape& after,
                                         std::int64_t inner) const {
    MaybePlace found;
    if (before.rank() != after.rank()) throw DeadEnd{"its result would change its rank"};
    for (std::size_t axis = 0; axis < before.rank(); ++axis) {
      if (before[axis] == after[axis]) continue;
      if (found) throw DeadEnd{"the batch would be in two dimensions of its result"};
      if (before[axis] % batch_ != 0 || before[axis] / batch_ * probe_batch != after[axis]) {
        throw DeadEnd{"its result does not grow with the batch"};
      }
      found = BatchPlace{axis, inner};
    }
    return found;
  }

  const Graph& graph_;
  std::int64_t batch_;
  std::vector<MaybePlace> places_;
  std::vector<TensorType> probed_;  ///< types with the probe as batch
  Shape no_shape_;
  std::size_t farthest_ = 0;  ///< node at which following ended
  std::string reason_;
  std::vector<BatchConstant> missing_;
};

}  // namespace

BatchTrack track_batch(const Graph& graph) {
  std::vector<BatchConstant> constants;
  for (;;) {
    Tracker tracker(graph, constants);
    if (std::optional<BatchTrack> track = tracker.track()) {
      track->constants = std::move(constants);
      return std::move(*track);
    }
    const std::vector<BatchConstant>& missing = tracker.missing_constants();
    if (missing.empty() || constants.size() >= max_batch_constants) throw tracker.failure();
    constants.insert(constants.end(), missing.begin(), missing.end());
  }
}

}  // namespace rooflab::graph
