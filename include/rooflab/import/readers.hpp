#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::import {

/// Kind of a file, detected from its content.
enum class FileKind {
  record,        ///< Rooflab's record: `rooflab measure -o DIR`, `monitor`, `import`
  measurement,   ///< JSON of `measure -o x.json`
  prediction,    ///< JSON of `predict -o x.json`
  training,      ///< JSON of `train -o x.json`
  training_run,  ///< `run.json` of a run of `train -o DIR`
  scale_run,     ///< a run of `scale -o DIR`
  ncu_log,       ///< printed by `ncu`, as CSV or as text
  ncu_report,    ///< .ncu-rep, Nsight Compute's own format
  trace,         ///< trace of the PyTorch profiler, perhaps compressed with gzip
  nsys_export,   ///< SQLite, what `nsys export --type sqlite` writes, or another database
  nsys_csv,      ///< printed by `nsys stats --format csv`
  nvprof_csv,    ///< printed by `nvprof --csv`, a GPU trace or a summary
  nsys_report,   ///< .nsys-rep or .qdrep, Nsight Systems' own format
  profile,       ///< profile of one process under `rooflab profile`
  empty,
  unknown,
};
constexpr auto names_in_order(For<FileKind>) {
  return names_through<FileKind::unknown>(
      "a record of Rooflab", "JSON of measure", "JSON of predict", "JSON of train",
      "a run of train", "a run of scale", "a log of Nsight Compute", "a report of Nsight Compute",
      "a PyTorch trace", "an export of Nsight Systems", "CSV of Nsight Systems", "CSV of nvprof",
      "a report of Nsight Systems", "a profile of rooflab profile", "an empty file",
      "an unknown file");
}

/// Detects a file's kind from its beginning. Throws Error (input) where it cannot be read.
[[nodiscard]] FileKind file_kind_of(const std::filesystem::path& path);

/// Detects a file's kind from its first bytes; `name` decides if they are not conclusive.
[[nodiscard]] FileKind file_kind_of(std::string_view head, const std::filesystem::path& name);

struct ImportOptions {
  /// Called from time to time with the share of the file that is done, 0 to 1.
  std::function<void(double done)> progress = {};
};

/// Whether another tool writes files of this kind: read_tool_file() takes them.
[[nodiscard]] bool is_of_tool(FileKind kind);

/// List for people of the files that is_of_tool().
[[nodiscard]] std::string readable_tool_files();

/// Reads a file of any kind that is_of_tool(). Throws Error (input) for a file that cannot be read
/// and for another kind, with what it is.
[[nodiscard]] record::Record read(const std::filesystem::path& path,
                                  const ImportOptions& options = {});

/// Reads a file of a kind that is_of_tool() by the reader of the kind, and throws as that does.
[[nodiscard]] record::Record read_tool_file(FileKind kind, const std::filesystem::path& path,
                                            const ImportOptions& options = {});

/// Reads a trace of the PyTorch profiler (.json, or compressed with gzip) into the record's `trace`
/// and `kernels`. Events are framed one by one and parsed in batches, so memory holds a few batches
/// and the columns. Bad bytes, over-long integers, events without a time and the like are counted
/// in `lost` with the byte (of the uncompressed text) where the first one begins; a file that ends
/// early gives its content, and a loss. docs/formats/kineto.md lists what is kept. Throws Error
/// (input) where the file cannot be read or has no list of events.
[[nodiscard]] record::Record read_kineto_trace(const std::filesystem::path& path,
                                               const ImportOptions& options = {});

/// Reads a trace of the PyTorch profiler from a text in memory; `file` names it in messages. Throws
/// as read_kineto_trace().
[[nodiscard]] record::Record read_kineto_text(std::string_view text, const std::string& file);

/// Reads output of `ncu`: CSV (raw or details page) or the text for terminals, old and new headers,
/// mixed with the program's own output and ncu's messages, of one or several processes.
/// docs/formats/ncu.md describes the input. The record's `kernels` have a row per launch; `lost`
/// counts what could not be read; `warnings` are remarks about the figures (derived counters,
/// unknown units).
///
/// The file is streamed: memory grows with the number of launches, not with the file.
/// Throws Error (input) where the file cannot be read or holds no table of ncu, with line and hint.
[[nodiscard]] record::Record read_ncu_log(const std::filesystem::path& path,
                                          const ImportOptions& options = {});

/// Reads output of `ncu` from a text in memory; `file` names it in messages. Throws as
/// read_ncu_log().
[[nodiscard]] record::Record read_ncu_log_text(std::string_view text, const std::string& file);

/// Reads a report of Nsight Compute (.ncu-rep) through `ncu` itself, which must be on PATH: the
/// format is the tool's own and changes with it. Throws Error (capability) with the command that
/// converts the file if ncu is missing, and Error (input) with ncu's message where ncu refuses the
/// file.
[[nodiscard]] record::Record read_ncu_report(const std::filesystem::path& path,
                                             const ImportOptions& options = {});

/// Reads the SQLite export of Nsight Systems (`nsys export --type sqlite`) into the record's
/// `trace` and `kernels`: kernels, copies and fills, CUDA API calls (joined with their kernels by
/// number), NVTX ranges as annotations, facts of GPUs and host. Tables and columns that are missing
/// are unknown; values of another type or out of their range are counted in `lost` with table and
/// row. docs/formats/nsys.md lists what is kept. Memory grows with the number of events, not with
/// the file. Throws Error (input) where the file is damaged, is another database, or has no
/// kernels.
[[nodiscard]] record::Record read_nsys_export(const std::filesystem::path& path,
                                              const ImportOptions& options = {});

/// Reads the CSV of `nsys stats --report cuda_gpu_trace --format csv`: kernels, copies and fills
/// with start and duration in any unit; text around the table is skipped. Rows that cannot be read
/// are counted in `lost` with their line. Throws Error (input) without such a table, or without a
/// kernel in it.
[[nodiscard]] record::Record read_nsys_csv(const std::filesystem::path& path,
                                           const ImportOptions& options = {});

/// Reads the CSV of `nsys stats` from a text in memory; `file` names it in messages. Throws as
/// read_nsys_csv().
[[nodiscard]] record::Record read_nsys_csv_text(std::string_view text, const std::string& file);

/// Reads the CSV of nvprof, text around its tables is skipped: a GPU trace (--print-gpu-trace) into
/// the record's `trace` and `kernels`, a summary into rows of `kernels` that sum up launches. Where
/// the file has both, the trace counts. Rows that cannot be read are counted in `lost` with their
/// line. docs/formats/nvprof.md. Throws Error (input) without a kernel, for a table whose columns
/// or units are wrong, and for GPU traces of several processes, with line and hint.
[[nodiscard]] record::Record read_nvprof(const std::filesystem::path& path,
                                         const ImportOptions& options = {});

/// Reads the CSV of nvprof from a text in memory; `file` names it in messages. Throws as
/// read_nvprof().
[[nodiscard]] record::Record read_nvprof_text(std::string_view text, const std::string& file);

/// Throws Error (input) with the command that converts a report of Nsight Systems (.nsys-rep,
/// .qdrep): its format is the tool's own.
[[noreturn]] record::Record read_nsys_report(const std::filesystem::path& path,
                                             const ImportOptions& options = {});

}  // namespace rooflab::import
