#pragma once

// JPEG and PNG files for tests, written with the libraries themselves.

// clang-format off
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <jpeglib.h>
#include <png.h>
// clang-format on

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab::data {

/// A separate folder for each test, gone afterwards.
class InFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "test-of-data-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::filesystem::path& path, std::string_view content) const {
    std::filesystem::create_directories((folder_ / path).parent_path());
    std::ofstream(folder_ / path, std::ios::binary) << content;
  }

  std::filesystem::path folder_;
};

struct JpegSettings {
  J_COLOR_SPACE given = JCS_RGB;  ///< what the samples are
  J_COLOR_SPACE stored = JCS_YCbCr;
  int channels = 3;
  bool progressive = false;
  bool adobe_marker = true;  ///< where four channels are stored
};

/// `samples`: [height, width, channels]. Quality 100, no subsampling of colour.
inline std::string jpeg_file(int width, int height, const std::vector<std::uint8_t>& samples,
                             const JpegSettings& settings = {}) {
  jpeg_compress_struct codec{};
  jpeg_error_mgr errors{};
  codec.err = jpeg_std_error(&errors);
  jpeg_create_compress(&codec);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&codec, &bytes, &size);
  codec.image_width = static_cast<JDIMENSION>(width);
  codec.image_height = static_cast<JDIMENSION>(height);
  codec.input_components = settings.channels;
  codec.in_color_space = settings.given;
  jpeg_set_defaults(&codec);
  jpeg_set_colorspace(&codec, settings.stored);
  jpeg_set_quality(&codec, 100, TRUE);
  for (int c = 0; c < codec.num_components; ++c) {
    codec.comp_info[c].h_samp_factor = codec.comp_info[c].v_samp_factor = 1;
  }
  if (settings.progressive) jpeg_simple_progression(&codec);
  if (!settings.adobe_marker) codec.write_Adobe_marker = FALSE;
  jpeg_start_compress(&codec, TRUE);
  std::vector<std::uint8_t> row(static_cast<std::size_t>(width * settings.channels));
  for (std::size_t y = 0; codec.next_scanline < codec.image_height; ++y) {
    std::copy_n(samples.begin() + static_cast<std::ptrdiff_t>(y * row.size()), row.size(),
                row.begin());
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&codec, &pointer, 1);
  }
  jpeg_finish_compress(&codec);
  std::string file(reinterpret_cast<char*>(bytes), size);
  jpeg_destroy_compress(&codec);
  std::free(bytes);  // NOLINT(cppcoreguidelines-no-malloc, cppcoreguidelines-owning-memory)
  return file;
}

/// One colour everywhere.
inline std::vector<std::uint8_t> solid(int width, int height,
                                       const std::vector<std::uint8_t>& colour) {
  std::vector<std::uint8_t> samples;
  for (int i = 0; i < width * height; ++i) {
    samples.insert(samples.end(), colour.begin(), colour.end());
  }
  return samples;
}

/// A good JPEG file of one gray.
inline std::string gray_jpeg(int width, int height, std::uint8_t value) {
  return jpeg_file(width, height, solid(width, height, {value}),
                   {.given = JCS_GRAYSCALE, .stored = JCS_GRAYSCALE, .channels = 1});
}

struct PngSettings {
  int colour_type = PNG_COLOR_TYPE_RGB;
  int bits = 8;
  bool interlaced = false;
  std::vector<png_color> palette;
  bool only_header = false;  ///< ends before the pixels
};

/// `rows`: packed as PNG has them, all of one length.
inline std::string png_file(std::uint32_t width, std::uint32_t height,
                            std::vector<std::vector<std::uint8_t>> rows,
                            const PngSettings& settings = {}) {
  std::string file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &file,
      [](png_structp writer, png_bytep bytes, std::size_t size) {
        static_cast<std::string*>(png_get_io_ptr(writer))
            ->append(reinterpret_cast<char*>(bytes), size);
      },
      nullptr);
  png_set_IHDR(png, info, width, height, settings.bits, settings.colour_type,
               settings.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (!settings.palette.empty()) {
    png_set_PLTE(png, info, settings.palette.data(), static_cast<int>(settings.palette.size()));
  }
  png_write_info(png, info);
  if (!settings.only_header) {
    std::vector<std::uint8_t*> pointers;
    pointers.reserve(rows.size());
    for (std::vector<std::uint8_t>& row : rows) pointers.push_back(row.data());
    png_write_image(png, pointers.data());
    png_write_end(png, info);
  }
  png_destroy_write_struct(&png, &info);
  return file;
}

}  // namespace rooflab::data
