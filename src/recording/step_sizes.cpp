// A step in another size, from recordings of it in a few sizes.
//
// Each extent, stride, offset, number of bytes and number among an op's arguments is a number v of
// the size. With b0, c0 the batch and the context of one recording, b1 the batch of another with
// the same context, c1 the context of a third with the same batch,
//
//     v(b, c) = f(b) g(c) / v(b0, c0)      f linear through v(b0, c0) and v(b1, c0)
//                                          g linear through v(b0, c0) and v(b0, c1)
//
// That holds for what is constant, what grows with one of the two, and products of both: batch x
// tokens, the strides of [batch, heads, tokens, width]. Two recordings give one of the lines. Where
// v(b1, c0) is to v(b0, c0) as b1^2 to b0^2, f is that square, and g likewise: scores of tokens x
// tokens in one extent. A line through both would end below zero.
//
// The offset of a view counts from the tensor that it was taken of, since a sum of two numbers of
// this form need not have it. Strides of axes that lie close to each other follow from the extents,
// and so do the bytes of a storage that its tensors fill, or fill but for rounding to 16 to 512
// bytes. So a matrix of batch x batch, or of tokens x tokens, keeps its size.
//
// Where recordings run other ops, or a number is not whole, that size has to be recorded itself.
// What is given beyond that must be the step that follows from the others.

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "corners.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::recording {
namespace {

/// How many sizes are not 1: an extent of 1 says nothing about strides.
int telling_sizes(const Recording& recording) {
  return (recording.batch == 1 ? 0 : 1) + (recording.context == 1 ? 0 : 1);
}

/// The first of another batch (or context) and the same context (or batch) that tells most;
/// nullptr: not found.
const Recording* partner(const std::vector<Recording>& all, const Recording& base, bool of_batch) {
  const Recording* found = nullptr;
  for (const Recording& other : all) {
    const bool fits = of_batch ? other.context == base.context && other.batch != base.batch
                               : other.batch == base.batch && other.context != base.context;
    if (fits && (found == nullptr || telling_sizes(other) > telling_sizes(*found))) {
      found = &other;
    }
  }
  return found;
}

/// The first recording with most partners that tells most: whose numbers the others are compared
/// with.
const Recording& base_of(const std::vector<Recording>& all) {
  const auto partners = [&](const Recording& each) {
    const int known = (partner(all, each, true) == nullptr ? 0 : 1) +
                      (partner(all, each, false) == nullptr ? 0 : 1);
    return std::pair(known, telling_sizes(each));
  };
  return *std::ranges::max_element(all, {}, partners);
}

void check_sizes(const std::vector<Recording>& all) {
  const bool vary_context =
      std::ranges::any_of(all, [](const Recording& each) { return each.context.has_value(); });
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all.size() > 1 && !all[i].batch) differ(all[i], 1, "one of them does not say its batch");
    if (vary_context && !all[i].context) differ(all[i], 1, "one of them does not say its context");
    for (std::size_t k = 0; k < i; ++k) {
      if (size_of(all[i]) != size_of(all[k])) continue;
      differ(all[i], 1, format("both have {}", size_of(all[i]).text()));
    }
  }
}

bool same_shapes(const Recording& one, const Recording& other) {
  return std::ranges::equal(one.tensors, other.tensors, [&](const Tensor& a, const Tensor& b) {
    return one.layouts[static_cast<std::size_t>(a.layout)].type.shape ==
           other.layouts[static_cast<std::size_t>(b.layout)].type.shape;
  });
}

/// In another batch some shape differs. In another context none need: a static cache is as large.
void check_batches(const std::vector<Recording>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (all[i].batch == all[k].batch || all[i].context != all[k].context) continue;
      if (all[i].tensors.empty() || !same_shapes(all[i], all[k])) continue;
      throw Error(ErrorKind::input,
                  format("both recordings have the same shapes, but batch {} and batch {}: the"
                         " label of one is wrong",
                         *all[k].batch, *all[i].batch),
                  "record again with inputs of the other batch", Location{all[i].file, 1, {}, {}});
    }
  }
}

}  // namespace

std::string StepSize::text() const {
  std::vector<std::string> parts;
  if (batch) parts.push_back(format("batch {}", *batch));
  if (context) parts.push_back(format("context {}", *context));
  return parts.empty() ? "an unknown size" : join(parts, ", ");
}

StepSize size_of(const Recording& recording) { return {recording.batch, recording.context}; }

StepSizes::StepSizes(std::vector<Recording> recordings) : recordings_(std::move(recordings)) {
  check_sizes(recordings_);
  if (recordings_.size() < 2) return;
  const Recording& base = base_of(recordings_);
  const Recording* const by_batch = partner(recordings_, base, true);
  const Recording* const by_context = partner(recordings_, base, false);
  corners_ = std::make_unique<const Corners>(base, by_batch, by_context);
  for (const Recording& each : recordings_) {
    if (&each == &base || &each == by_batch || &each == by_context) continue;
    check_equal(corners_->at(size_of(each)), each);
  }
  check_batches(recordings_);
}

StepSizes::~StepSizes() = default;
StepSizes::StepSizes(StepSizes&&) noexcept = default;
StepSizes& StepSizes::operator=(StepSizes&&) noexcept = default;

const Recording& StepSizes::first() const { return recordings_.front(); }

Recording StepSizes::at(StepSize size) const {
  if (!size.batch) size.batch = first().batch;
  if (!size.context) size.context = first().context;
  for (const Recording& each : recordings_) {
    if (size_of(each) == size) return each;
  }
  const Recording& base = base_of(recordings_);
  const auto require = [&](bool of_batch, const char* what) {
    if (partner(recordings_, base, of_batch) != nullptr) return;
    throw Error(ErrorKind::input,
                format("no recording says what another {} changes: {} follows from none", what,
                       size.text()),
                format("record the step in {} and another {}", size_of(base).text(), what),
                Location{first().file, {}, {}, {}});
  };
  if (size.batch != base.batch) require(true, "batch");
  if (size.context != base.context) require(false, "context");
  return corners_->at(size);
}

}  // namespace rooflab::recording
