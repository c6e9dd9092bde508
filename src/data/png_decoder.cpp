// As in jpeg_decoder.cpp: the members that call libpng may be left by longjmp and hold no object
// with a destructor.

#include "png_decoder.hpp"

#include <png.h>

#include <array>
#include <csetjmp>
#include <cstring>

namespace rooflab::data {
namespace {

class PngReader {
 public:
  explicit PngReader(std::string_view file) : file_(file) {}
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  [[nodiscard]] bool read_header() {
    if (setjmp(jump_) != 0) return false;
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, give_up, ignore_warning);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr) {
      note("libpng could not be set up");
      return false;
    }
    png_set_read_fn(png_, this, read_bytes);
    png_read_info(png_, info_);
    return true;
  }

  /// `rows`: one pointer per row, each with room for 3 bytes per pixel.
  [[nodiscard]] bool read_pixels(std::uint8_t** rows) {
    if (setjmp(jump_) != 0) return false;
    png_set_expand(png_);
    png_set_scale_16(png_);
    png_set_gray_to_rgb(png_);
    png_set_strip_alpha(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    if (png_get_rowbytes(png_, info_) != std::size_t{3} * png_get_image_width(png_, info_)) {
      note("unknown pixel format");
      return false;
    }
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }

  [[nodiscard]] std::int64_t height() const { return png_get_image_height(png_, info_); }
  [[nodiscard]] std::int64_t width() const { return png_get_image_width(png_, info_); }
  [[nodiscard]] const char* trouble() const { return trouble_.data(); }

 private:
  void note(const char* text) { std::strncpy(trouble_.data(), text, trouble_.size() - 1); }

  [[noreturn]] static void give_up(png_structp png, png_const_charp text) {
    PngReader* self = static_cast<PngReader*>(png_get_error_ptr(png));
    self->note(text);
    std::longjmp(self->jump_, 1);
  }

  // Warnings are of chunks other than the pixels: damage to these is an error.
  static void ignore_warning(png_structp /*png*/, png_const_charp /*text*/) {}

  static void read_bytes(png_structp png, png_bytep target, std::size_t size) {
    PngReader* self = static_cast<PngReader*>(png_get_io_ptr(png));
    if (size > self->file_.size()) png_error(png, "premature end of PNG file");
    std::memcpy(target, self->file_.data(), size);
    self->file_.remove_prefix(size);
  }

  std::string_view file_;  ///< what is still to be read
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::jmp_buf jump_{};
  std::array<char, 200> trouble_{};
};

}  // namespace

std::optional<Image> decode_png(std::string_view file, std::string& reason) {
  PngReader reader(file);
  std::optional<Image> image = blank_image(reader, reason);
  if (!image) return std::nullopt;
  std::vector<std::uint8_t*> rows(static_cast<std::size_t>(image->height));
  for (std::size_t y = 0; y < rows.size(); ++y) {
    rows[y] = image->pixels.data() + y * static_cast<std::size_t>(image->width) * 3;
  }
  if (!reader.read_pixels(rows.data())) {
    reason = reader.trouble();
    return std::nullopt;
  }
  return image;
}

}  // namespace rooflab::data
