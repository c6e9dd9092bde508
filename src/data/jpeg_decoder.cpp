// libjpeg reports errors by a function that must not return. Here it jumps back (longjmp) into the
// member function of JpegReader that called libjpeg. A jump runs no destructors, so these members
// hold no object that has one: memory is taken between them, by decode_jpeg, and what libjpeg holds
// is given back by the reader's destructor.

#include "jpeg_decoder.hpp"

// jpeglib.h does not include what it uses.
// clang-format off
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <array>
#include <cstring>

namespace rooflab::data {
namespace {

// A few bytes per scan of a progressive file make the decoder walk over all of the image, so a
// small file could keep it busy for hours. Encoders write about ten; the limit is far above. See
// libjpeg-turbo's "Two issues with the JPEG standard".
constexpr int most_scans = 500;

/// An Adobe file holds 255 - ink, and the black channel alike: both are light that is let through.
std::uint8_t light(unsigned colour, unsigned black) {
  // Pillow's division by 255 with rounding: exact for products of two bytes.
  const unsigned inked = (255 - colour) * black + 128;
  return static_cast<std::uint8_t>(black - ((inked + (inked >> 8U)) >> 8U));
}

class JpegReader {
 public:
  explicit JpegReader(std::string_view file) : file_(file) {
    codec_.err = jpeg_std_error(&errors_);
    codec_.client_data = this;
    errors_.error_exit = give_up;
    errors_.emit_message = judge_message;
    progress_.progress_monitor = watch_scans;
  }
  ~JpegReader() { jpeg_destroy_decompress(&codec_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  [[nodiscard]] bool read_header() {
    if (setjmp(jump_) != 0) return false;
    jpeg_create_decompress(&codec_);
    codec_.progress = &progress_;
    jpeg_mem_src(&codec_, reinterpret_cast<const unsigned char*>(file_.data()), file_.size());
    jpeg_read_header(&codec_, TRUE);
    inks_ = codec_.jpeg_color_space == JCS_CMYK || codec_.jpeg_color_space == JCS_YCCK;
    codec_.out_color_space = inks_ ? JCS_CMYK : JCS_RGB;
    return true;
  }

  /// `pixels`: room for the image; `ink_row`: room for a row of four channels.
  [[nodiscard]] bool read_pixels(std::uint8_t* pixels, std::uint8_t* ink_row) {
    if (setjmp(jump_) != 0) return false;
    jpeg_start_decompress(&codec_);
    while (codec_.output_scanline < codec_.output_height) {
      std::uint8_t* target = pixels + std::size_t{3} * codec_.output_scanline * codec_.output_width;
      JSAMPROW row = inks_ ? ink_row : target;
      jpeg_read_scanlines(&codec_, &row, 1);
      for (std::size_t x = 0; inks_ && x < codec_.output_width; ++x) {
        const std::uint8_t* ink = ink_row + 4 * x;
        for (std::size_t c = 0; c < 3; ++c) target[3 * x + c] = light(ink[c], ink[3]);
      }
    }
    jpeg_finish_decompress(&codec_);
    return true;
  }

  [[nodiscard]] std::int64_t height() const { return codec_.image_height; }
  [[nodiscard]] std::int64_t width() const { return codec_.image_width; }
  [[nodiscard]] const char* trouble() const { return trouble_.data(); }

 private:
  [[noreturn]] static void give_up(j_common_ptr codec) {
    JpegReader* self = static_cast<JpegReader*>(codec->client_data);
    codec->err->format_message(codec, self->trouble_.data());
    std::longjmp(self->jump_, 1);
  }

  /// Level -1 is a warning, anything above is talk.
  static void judge_message(j_common_ptr codec, int level) {
    if (level >= 0) return;
    const int code = codec->err->msg_code;
    const bool pixels_are_whole =
        code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM;
    if (!pixels_are_whole) give_up(codec);
  }

  static void watch_scans(j_common_ptr codec) {
    JpegReader* self = static_cast<JpegReader*>(codec->client_data);
    if (self->codec_.input_scan_number <= most_scans) return;
    std::strncpy(self->trouble_.data(), "too many progressive scans", self->trouble_.size() - 1);
    std::longjmp(self->jump_, 1);
  }

  std::string_view file_;
  jpeg_decompress_struct codec_{};
  jpeg_error_mgr errors_{};
  jpeg_progress_mgr progress_{};
  std::jmp_buf jump_{};
  std::array<char, JMSG_LENGTH_MAX> trouble_{};
  bool inks_ = false;
};

}  // namespace

std::optional<Image> decode_jpeg(std::string_view file, std::string& reason) {
  JpegReader reader(file);
  std::optional<Image> image = blank_image(reader, reason);
  if (!image) return std::nullopt;
  std::vector<std::uint8_t> ink_row(static_cast<std::size_t>(image->width * 4));
  if (!reader.read_pixels(image->pixels.data(), ink_row.data())) {
    reason = reader.trouble();
    return std::nullopt;
  }
  return image;
}

}  // namespace rooflab::data
