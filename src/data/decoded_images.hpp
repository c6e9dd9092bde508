#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "image.hpp"

namespace rooflab::data {

/// Keeps the decoded images of a dataset that completely fits into memory, so that nothing is
/// opened or decoded after the first epoch. CIFAR-10 takes 154 MB. Nothing is kept of ImageNet,
/// which would take 700 GB: a part of it would hardly help.
///
/// The mean size of the images seen so far predicts whether it fits; if this is wrong, the kept
/// images stay below the budget. Members may be called from several threads at once.
class DecodedImages {
 public:
  static constexpr std::int64_t default_budget = std::int64_t{1} << 30U;

  explicit DecodedImages(std::int64_t images, std::int64_t budget_bytes = default_budget)
      : images_(images), budget_(budget_bytes) {}

  /// Finds a kept image, valid as long as this object; nullopt: not kept.
  [[nodiscard]] std::optional<ImageView> find(std::int64_t index) const;

  /// Takes an image if all images fit; otherwise returns false and does not change it.
  bool keep(std::int64_t index, Image& image);

  [[nodiscard]] std::int64_t kept_bytes() const { return kept_bytes_; }

 private:
  struct Slot {
    std::atomic<int> state = 0;  ///< 0 empty, 1 being filled, 2 filled
    Image image;
  };

  std::int64_t images_;
  std::int64_t budget_;
  std::once_flag made_;
  std::atomic<bool> has_slots_ = false;
  std::vector<Slot> slots_;  ///< made when the first image is kept
  std::atomic<std::int64_t> seen_ = 0;
  std::atomic<std::int64_t> seen_bytes_ = 0;
  std::atomic<std::int64_t> kept_bytes_ = 0;
};

}  // namespace rooflab::data
