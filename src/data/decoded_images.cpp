#include "decoded_images.hpp"

#include <utility>

namespace rooflab::data {

std::optional<ImageView> DecodedImages::find(std::int64_t index) const {
  if (!has_slots_.load(std::memory_order_acquire)) return std::nullopt;
  const Slot& slot = slots_[static_cast<std::size_t>(index)];
  if (slot.state.load(std::memory_order_acquire) != 2) return std::nullopt;
  return view_of(slot.image);
}

bool DecodedImages::keep(std::int64_t index, Image& image) {
  const auto bytes = static_cast<std::int64_t>(image.pixels.size());
  const std::int64_t seen = seen_.fetch_add(1) + 1;
  const std::int64_t seen_bytes = seen_bytes_.fetch_add(bytes) + bytes;
  const double mean = static_cast<double>(seen_bytes) / static_cast<double>(seen);
  if (mean * static_cast<double>(images_) > static_cast<double>(budget_)) return false;
  if (kept_bytes_.fetch_add(bytes) + bytes > budget_) {
    kept_bytes_.fetch_sub(bytes);
    return false;
  }
  std::call_once(made_, [this] {
    slots_ = std::vector<Slot>(static_cast<std::size_t>(images_));
    has_slots_.store(true, std::memory_order_release);
  });
  Slot& slot = slots_[static_cast<std::size_t>(index)];
  int empty = 0;
  if (!slot.state.compare_exchange_strong(empty, 1)) {  // another thread decoded it too
    kept_bytes_.fetch_sub(bytes);
    return false;
  }
  slot.image = std::move(image);
  slot.state.store(2, std::memory_order_release);
  return true;
}

}  // namespace rooflab::data
