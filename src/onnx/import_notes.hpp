#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "assembly.hpp"
#include "dimension_binding.hpp"
#include "model_view.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

/// What an import has to say of its file.
namespace rooflab::onnx {

using OpaqueReasons = std::unordered_map<const Origin*, std::string>;

/// Notes an output that the file declares as another one than its nodes make.
void note_output(const Assembly& assembly, const DimensionBinding& binding,
                 const ValueInfoView& output, graph::ValueId id, ImportResult& result);
/// Notes what the export took away and nothing can bring back.
void note_export(const Assembly& assembly, const GraphView& graph, ImportResult& result);
void note_unknown(const Assembly& assembly, const OpaqueReasons& why, ImportResult& result);
/// Notes the values of nodes that remain.
void note_values(const Assembly& assembly, ImportResult& result);
/// Elements of initialisers that the file's own ops read as parameters or running statistics.
[[nodiscard]] std::int64_t parameter_elements_read(const graph::Graph& graph);
/// Notes weights that no node reads, `read` of them are, and those that do not count as parameters
/// by the definition of a parameter.
void note_leftovers(const graph::Graph& graph, const GraphView& file, std::int64_t read,
                    ImportResult& result);

}  // namespace rooflab::onnx
