// FLOPs that tensor cores did and CUDA cores' counters did not see.
//
// A published count C (`counted_flops`) on a device whose tensor cores take the matrix work of the
// row's data: those of TF32 for fp32 data, because frameworks allow it for convolutions unless they
// are told otherwise. Rows that print `counted_tensor_flops` have counted both. We compare:
//
//   F   FLOPs of our case, V those of them outside tensor cores (vector work)
//   W   the whole: the same source's count of the same work on a device without such cores, else F
//
// The gap is claimed when
//   C / F < 1 / 2.25   where the row states phase and batch and they are our case's; Winograd's
//                      F(2x2, 3x3), in wide use for FP32, multiplies 2.25 times less, so that a
//                      count down to there may be whole
//   C / W < 1 / 2.25   where they are not stated, and there is such a count W
//   C >= V / 2         (of the whole, in proportion): below that even the work which no tensor core
//                      can do is missing, so that something else is wrong. Half, because counters
//                      see no comparisons and our count of vector work has them
//
// For two rows of the same work with times, of which one has the gap: FLOP/s by the counts, and the
// rates by equal work, which is the ratio of the times. A conclusion about efficiency that rests on
// the first falls with it.
//
// When it is wrong: larger Winograd tiles (F(4x4, 3x3) multiplies 4 times less) in a network of
// nothing but 3 x 3 convolutions on a device where TF32 was switched off.
//
// Source: Lavin, Gray, "Fast Algorithms for Convolutional Neural Networks", CVPR 2016.

#include <algorithm>
#include <array>
#include <cmath>

#include "base/format.hpp"
#include "explanation_rules.hpp"
#include "rooflab/predict/limit.hpp"

namespace rooflab::study {
namespace {

constexpr double most_counted_share = 1.0 / 2.25;
constexpr double least_of_vector_work = 0.5;
/// What is made of the count.
constexpr auto of_counts =
    std::to_array<std::string_view>({"counted_flops", "counted_throughput", "counted_intensity"});
constexpr double least_difference = 0.05;  // of two times: repeated runs differ by less

/// The path that matrix work of the row's data takes, when the framework is left as it comes.
std::optional<ArithmeticPath> default_matrix_path(const CaseKey& key) {
  if (!key.known_device) return std::nullopt;
  const Precision asked =
      device::precision_on(*key.known_device, key.precision.value_or(Precision::tf32));
  return predict::matrix_path(*key.known_device, matrix_type(asked),
                              asked == Precision::fp32 ? Precision::tf32 : asked);
}

/// FLOPs outside tensor cores when these take all matrix work.
std::optional<double> outside_of(const OwnCase& own) {
  if (const auto vector = own.figure("vector_flops")) return vector;
  const auto flops = own.figure("flops");
  const auto outside = own.figure("flops_outside_tensor_cores");
  // As many as there are: tensor cores took no part in that case.
  if (!flops || !outside || *outside >= *flops) return std::nullopt;
  return outside;
}

/// Whether both state the window and state the same.
bool is_same_window(const CaseKey& a, const CaseKey& b) {
  return a.phase && b.phase && a.batch && b.batch && same_pass(a, b) && same_batch(a, b);
}

/// The own case nearest to the row that has both counts: the same window, then the same phase,
/// then the same device.
const OwnCase* nearest_count(const ComparedRows& context, const PublishedCase& published) {
  const OwnCase* best = nullptr;
  int most = 0;
  for (const OwnCase* own : own_cases_of(context, published.key)) {
    if (!same_model(own->key, published.key) || !same_pass(own->key, published.key)) continue;
    if (!own->figure("flops") || !outside_of(*own)) continue;
    int points = 1;
    if (is_same_window(own->key, published.key)) points += 4;
    if (own->key.phase == published.key.phase) points += 2;
    if (same_device(own->key, published.key)) points += 1;
    if (points > most) {
      most = points;
      best = own;
    }
  }
  return best;
}

const PublishedCase* peer_of(const ComparedRows& context, const PublishedCase& published) {
  for (const PublishedCase* other : same_work_elsewhere(context, published)) {
    const auto path = default_matrix_path(other->key);
    if (path && !is_matrix_unit(*path) && other->value("counted_flops")) return other;
  }
  return nullptr;
}

std::string device_label(const CaseKey& key) {
  return key.known_device ? key.known_device->name : key.device;
}

Explanation gap_explanation(const PublishedCase& published, const TensorGap& gap) {
  Explanation explanation{.kind = Explanation::Kind::tensor_work, .subject = published.name};
  add_figures(explanation, published, of_counts);
  const double share = gap.own_outside / gap.own_flops;
  explanation.sentence = format(
      "only {} of about {} were counted: the rest ran on tensor cores, whose counters were not "
      "collected; outside them our count of the {} has {}",
      si(gap.counted, "FLOP"), si(gap.whole, "FLOP"), pass_name(published.key),
      gap.same_window ? si(gap.own_outside, "FLOP") : format("{:.2g} % of it", share * 100.0));
  if (gap.peer != nullptr) {
    add_evidence(
        explanation,
        "counted on {}, which has no such tensor cores: {}; {:.3g} % of that were counted here",
        gap.peer->key.device, si(gap.whole, "FLOP"), gap.counted / gap.whole * 100.0);
  }
  if (gap.same_window) {
    add_evidence(
        explanation,
        "our count of the {}: {}, of which {} outside tensor cores; {:.3g} % of it were counted",
        pass_name(published.key), si(gap.own_flops, "FLOP"), si(gap.own_outside, "FLOP"),
        gap.counted / gap.own_flops * 100.0);
    if (gap.counted > 2.0 * gap.own_outside) {
      add_evidence(explanation,
                   "{} were counted beyond that: matrix work that did not go to tensor cores, or "
                   "work that our count does not have",
                   si(gap.counted - gap.own_outside, "FLOP"));
    }
  } else {
    add_evidence(explanation, "our count of a {} of {}: {}, of which {} outside tensor cores",
                 pass_name(gap.own->key), images_text(gap.own->key.batch.value_or(1.0)),
                 si(gap.own_flops, "FLOP"), si(gap.own_outside, "FLOP"));
  }
  add_evidence(explanation,
               "frameworks let matrix work of such data, convolutions at least, take the path {} "
               "of {} unless they are told otherwise",
               label_of(gap.path), device_label(published.key));
  return explanation;
}

/// What the gap does to a comparison of the two devices.
std::optional<Explanation> comparison_explanation(const ComparedRows& context,
                                                  const PublishedCase& published,
                                                  const TensorGap& gap) {
  if (gap.peer == nullptr) return std::nullopt;
  const auto time = published.value("time");
  const auto peer_time = gap.peer->value("time");
  if (!time || !peer_time) return std::nullopt;
  const std::string& here = published.key.device;
  const std::string& there = gap.peer->key.device;
  const double rate = gap.counted / *time;
  const double peer_rate = gap.whole / *peer_time;
  if (peer_rate <= rate) return std::nullopt;  // nothing that the missing work could have turned
  const bool is_set_up =
      is_mostly_set_up(context, published) || is_mostly_set_up(context, *gap.peer);
  const double gain = *peer_time / *time;
  std::string by_work = "both take the same time";
  if (std::abs(gain - 1.0) >= least_difference) {
    by_work = format("{} takes {:.3g} times as long", gain > 1.0 ? there : here,
                     std::max(gain, 1.0 / gain));
  }
  if (is_set_up) {
    by_work += ", which is hardly the network's time";
  } else if (gain >= 1.0 + least_difference) {
    by_work += ": that the former is the more efficient rests on the missing work";
  }
  const auto rate_of = [](const std::string& of, double flops, double seconds) {
    return format("{}: {} / {} = {}", of, si(flops, "FLOP"), si(seconds, "s"),
                  si(flops / seconds, "FLOP/s"));
  };
  Explanation explanation{
      Explanation::Kind::tensor_work,
      format("{} compared with {}", published.name, there),
      format("by these counts {} does {:.3g} times the FLOP/s of {}; for equal work {}", there,
             peer_rate / rate, here, by_work),
      {rate_of(there, gap.whole, *peer_time), rate_of(here, gap.counted, *time),
       rate_of(format("with the work that {} counted", there), gap.whole, *time)}};
  add_figures(explanation, published, of_counts);
  return explanation;
}

}  // namespace

DType matrix_type(Precision precision) {
  if (precision == Precision::fp64) return DType::f64;
  if (precision == Precision::fp16) return DType::f16;
  if (precision == Precision::bf16) return DType::bf16;
  return autocast_type(precision).value_or(DType::f32);
}

std::optional<TensorGap> tensor_gap_of(const ComparedRows& context,
                                       const PublishedCase& published) {
  const auto counted = published.value("counted_flops");
  if (!counted || published.row->values.contains("counted_tensor_flops")) return std::nullopt;
  const auto path = default_matrix_path(published.key);
  if (!path || !is_matrix_unit(*path)) return std::nullopt;

  TensorGap gap{.counted = *counted, .path = *path};
  gap.own = nearest_count(context, published);
  if (gap.own == nullptr) return std::nullopt;
  gap.own_flops = gap.own->figure("flops").value_or(0.0);
  gap.own_outside = outside_of(*gap.own).value_or(0.0);
  gap.same_window = is_same_window(gap.own->key, published.key);
  gap.peer = peer_of(context, published);
  if (gap.peer == nullptr && !gap.same_window) return std::nullopt;

  const double peer_count =
      gap.peer == nullptr ? 0.0 : gap.peer->value("counted_flops").value_or(0.0);
  gap.whole = gap.peer == nullptr ? gap.own_flops : peer_count;
  const double reference = gap.same_window ? gap.own_flops : peer_count;
  const double vector_work = reference * gap.own_outside / gap.own_flops;
  if (gap.counted >= most_counted_share * reference || gap.counted >= gap.whole) {
    return std::nullopt;
  }
  if (gap.counted < least_of_vector_work * vector_work) return std::nullopt;
  return gap;
}

void add_tensor_work(const ComparedRows& context, std::vector<Explanation>& found) {
  for (const PublishedCase& published : context.published) {
    const std::optional<TensorGap> gap = tensor_gap_of(context, published);
    if (!gap) continue;
    found.push_back(gap_explanation(published, *gap));
    add(found, comparison_explanation(context, published, *gap));
  }
}

}  // namespace rooflab::study
