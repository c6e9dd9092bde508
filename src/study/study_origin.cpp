#include "rooflab/study/study_origin.hpp"

#include "rooflab/base/error.hpp"
#include "rooflab/base/field_table.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/schema.hpp"
#include "study_folder.hpp"

namespace rooflab::study {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::span<const Field> fields_of(For<LocalGpu>) {
  static constexpr Field fields[] = {
      field<&LocalGpu::name>("name").required(),
      field<&LocalGpu::model>("device_name").required(),
      field<&LocalGpu::catalog_id>("catalog_id"),
  };
  return fields;
}

std::span<const Field> fields_of(For<Machine>) {
  static constexpr Field fields[] = {
      field<&Machine::torch_worker>("torch_worker"),
      field<&Machine::probe_worker>("probe_worker"),
      field<&Machine::counters>("can_count"),
      field<&Machine::gpus>("gpus"),
  };
  return fields;
}

std::span<const Field> fields_of(For<StudyOrigin>) {
  static constexpr Field fields[] = {
      field<&StudyOrigin::title>("title").required(),
      field<&StudyOrigin::command>("command_line").or_default(),
      field<&StudyOrigin::machine>("machine"),
  };
  return fields;
}

FileKind file_kind_of(For<StudyOrigin>) {
  return {.name = "study_folder",
          .title = "folder of a study",
          .hint = "rooflab study run FILE -o DIR makes such folders"};
}

StudyOrigin read_origin(const fs::path& folder) {
  const fs::path file = origin_file(folder);
  if (!fs::exists(file)) {
    throw Error(ErrorKind::input, format("'{}' holds no study", folder.string()),
                "rooflab study run FILE -o DIR makes such folders");
  }
  return load_file<StudyOrigin>(file);
}

StudyOrigin read_origin(const fs::path& folder, const std::string& title) {
  StudyOrigin origin = read_origin(folder);
  if (origin.title == title) return origin;
  throw Error(ErrorKind::input,
              format("'{}' holds another study: {}", folder.string(), origin.title),
              "-o takes a folder for each study");
}

}  // namespace rooflab::study
