#include "foreign_kind.hpp"

#include <algorithm>
#include <array>

namespace rooflab::onnx {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::string_view bytes;
  std::string_view what;
  std::string_view hint;
};

constexpr std::string_view export_hint = "export it with torch.onnx.export first";

constexpr std::array known_magics = {
    Magic{"\x89PNG\r\n\x1a\n"sv, "a PNG image", ""},
    Magic{"\xff\xd8\xff"sv, "a JPEG image", ""},
    Magic{"GIF8"sv, "a GIF image", ""},
    Magic{"%PDF-"sv, "a PDF document", ""},
    Magic{"PK\x03\x04"sv, "a zip archive, as PyTorch's .pt and .pth files are", export_hint},
    Magic{"\x80\x02"sv, "a Python pickle, as old PyTorch checkpoints are", export_hint},
    Magic{"\x80\x04"sv, "a Python pickle", export_hint},
    Magic{"\x89HDF\r\n\x1a\n"sv, "an HDF5 file, as Keras writes them", "convert it with tf2onnx"},
    Magic{"\x7f"
          "ELF"sv,
          "an ELF program or library", ""},
    Magic{"\x1f\x8b"sv, "a gzip archive", "unpack it first"},
    Magic{"BZh"sv, "a bzip2 archive", "unpack it first"},
    Magic{"\xfd"
          "7zXZ"sv,
          "an xz archive", "unpack it first"},
    Magic{"\x28\xb5\x2f\xfd"sv, "a zstd archive", "unpack it first"},
    Magic{"7z\xbc\xaf\x27\x1c"sv, "a 7z archive", "unpack it first"},
    Magic{"GGUF"sv, "a GGUF model", ""},
    Magic{"SQLite format 3"sv, "an SQLite database, as Nsight Systems exports",
          "rooflab import reads an export of Nsight Systems"},
    Magic{"\x93NUMPY"sv, "a NumPy array", ""},
    Magic{"version https://git-lfs"sv, "a Git LFS pointer: the real file was not downloaded",
          "run git lfs pull"},
};

bool is_text(std::string_view head) {
  return std::ranges::all_of(head, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || c == '\n' || c == '\r' || c == '\t';
  });
}

}  // namespace

std::optional<ForeignKind> foreign_kind(std::string_view bytes) {
  for (const Magic& magic : known_magics) {
    if (bytes.starts_with(magic.bytes)) {
      return ForeignKind{std::string(magic.what), std::string(magic.hint)};
    }
  }
  if (bytes.size() > 8 && bytes.substr(4, 4) == "TFL3") return ForeignKind{"a TFLite model", ""};
  if (bytes.size() > 8 && bytes.substr(4, 4) == "ORTM") {
    return ForeignKind{"an ONNX Runtime .ort model", "use the .onnx file it was made from"};
  }
  if (bytes.size() > 9 && bytes[8] == '{' && bytes.substr(2, 6) == "\0\0\0\0\0\0"sv) {
    return ForeignKind{"a safetensors file: weights without a graph", std::string(export_hint)};
  }
  const std::string_view head = bytes.substr(0, head_size);
  // The first byte of a model is a field tag (0x08 mostly), which no text begins with.
  if (!is_text(head)) return std::nullopt;
  const std::size_t first = head.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return ForeignKind{"blank text", ""};
  if (head[first] == '{' || head[first] == '[') return ForeignKind{"JSON text", ""};
  if (head[first] == '<') return ForeignKind{"XML or HTML text, perhaps a failed download", ""};
  return ForeignKind{"text", ""};
}

bool begins_like_a_model(std::string_view bytes) {
  if (bytes.empty() || foreign_kind(bytes)) return false;
  // ir_version (field 1) is a small varint; writers that omit it begin with a text field, the
  // graph (7), an operator set (8) or a function (25), all length-delimited.
  const auto tag = static_cast<unsigned char>(bytes[0]);
  if (tag == 0x08) return bytes.size() > 1 && static_cast<unsigned char>(bytes[1]) < 0x40;
  constexpr std::array<unsigned char, 5> delimited = {0x12, 0x1a, 0x22, 0x3a, 0x42};
  return std::ranges::find(delimited, tag) != delimited.end();
}

}  // namespace rooflab::onnx
