#pragma once

#include <string>
#include <vector>

#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// People read `hf-gpt2-dynamo` where a network is the file `path/to/hf-gpt2-dynamo.onnx`: in
/// titles, rows and notes of the document. The path stays where two files would have one name, in
/// commands, and in every file that programs read.
void name_models_by_stem(Document& document, const std::vector<std::string>& models);

/// The same for any list of cases that have a model.
template <class Cases, class ModelOf>
void name_models_by_stem(Document& document, const Cases& cases, ModelOf model_of) {
  std::vector<std::string> models;
  for (const auto& each : cases) models.push_back(model_of(each));
  name_models_by_stem(document, models);
}

}  // namespace rooflab::report
