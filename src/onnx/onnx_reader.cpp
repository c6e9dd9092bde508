#include "rooflab/onnx/onnx_reader.hpp"

#include "base/format.hpp"
#include "file_bytes.hpp"
#include "foreign_kind.hpp"
#include "importer.hpp"
#include "rooflab/base/error.hpp"
#include "system/byte_source.hpp"

namespace rooflab::onnx {
namespace {

ImportResult read(const Source& source, const std::filesystem::path& file,
                  const ImportOptions& options) {
  const Location place = source.at();
  // A file that is clearly something else gets its own message.
  if (source.bytes.empty()) throw Error(ErrorKind::input, "the file is empty", {}, place);
  const std::string_view head = source.bytes.substr(0, head_size);
  source.load(head);
  if (const std::optional<ForeignKind> foreign = foreign_kind(head)) {
    throw Error(ErrorKind::input, format("not an ONNX file: it looks like {}", foreign->what),
                foreign->hint, place);
  }
  // Views into the bytes: no name is copied, no weight is read.
  const ModelView model = parse_model(source);
  if (!model.graph) {
    throw Error(ErrorKind::input, "not an ONNX file, or a truncated one: it has no graph",
                "is the file complete? compare its size with the original", place);
  }
  // The graph, verified, with everything folded that does not depend on the input.
  try {
    return Importer(source, model, options, file,
                    std::filesystem::path(source.file).stem().string())
        .run();
  } catch (const Error& error) {
    throw error.at(place);
  }
}

}  // namespace

ImportResult read_onnx_bytes(std::string_view bytes, const std::string& name,
                             const ImportOptions& options) {
  return read({name, bytes}, {}, options);
}

ImportResult read_onnx(const std::filesystem::path& path, const ImportOptions& options) {
  const FileBytes file(path);
  return read({path.string(), file.bytes(), &file}, std::filesystem::absolute(path), options);
}

bool looks_like_onnx(const std::filesystem::path& path) noexcept {
  try {
    return begins_like_a_model(ByteSource(path, {}).take(head_size));
  } catch (...) {
    return false;
  }
}

}  // namespace rooflab::onnx
