// JPEG and PNG files from arbitrary bytes: an image whose pixels are all there, or a reason. The
// libraries that decode are not ours; how they are called, and how their errors jump back, is.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/assert.hpp"
#include "data/image.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooflab;
  std::string reason;
  const std::optional<data::Image> image =
      data::decode_image({reinterpret_cast<const char*>(data), size}, reason);
  if (image) {
    ROOFLAB_ASSERT(image->height > 0 && image->width > 0);
    ROOFLAB_ASSERT(image->pixels.size() ==
                   static_cast<std::size_t>(image->height * image->width * 3));
  } else {
    ROOFLAB_ASSERT(!reason.empty());
  }
  return 0;
}
