#include "rooflab/task/request_kind.hpp"

#include <algorithm>
#include <array>

#include "base/assert.hpp"
#include "describe/field_table.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/task/evaluate.hpp"
#include "rooflab/task/fit.hpp"
#include "rooflab/task/import.hpp"
#include "rooflab/task/measure.hpp"
#include "rooflab/task/partition.hpp"
#include "rooflab/task/predict.hpp"
#include "rooflab/task/probe.hpp"
#include "rooflab/task/profile.hpp"
#include "rooflab/task/report.hpp"
#include "rooflab/task/scale.hpp"
#include "rooflab/task/train.hpp"

namespace rooflab::task {
namespace {

template <class Request>
RequestKind kind_of() {
  return {Request::command, &parameters_of(For<Request>{}),
          [] { return std::shared_ptr<void>(std::make_shared<Request>()); }};
}

}  // namespace

const Parameter* RequestKind::subject() const {
  const auto found = std::ranges::find(*parameters, true, &Parameter::positional);
  return found == parameters->end() ? nullptr : &*found;
}

std::span<const RequestKind> request_kinds() {
  static const std::array all = {
      kind_of<SummaryRequest>(),   kind_of<PredictRequest>(), kind_of<MeasureRequest>(),
      kind_of<TrainRequest>(),     kind_of<ScaleRequest>(),   kind_of<FitRequest>(),
      kind_of<PartitionRequest>(), kind_of<ImportRequest>(),  kind_of<ProfileRequest>(),
      kind_of<EvaluateRequest>(),  kind_of<ProbeRequest>(),
  };
  return all;
}

const RequestKind& request_kind(std::string_view command) {
  const auto found = std::ranges::find(request_kinds(), command, &RequestKind::command);
  ROOFLAB_ASSERT(found != request_kinds().end());
  return *found;
}

std::span<const Field> fields_of(For<RequestFile>) {
  static constexpr auto fields =
      field_table(field<&RequestFile::command>().required(), field<&RequestFile::command_line>(),
                  field<&RequestFile::request>().required());
  return fields;
}

FileKind file_kind_of(For<RequestFile>) {
  return {"request", "request", "rooflab task reads what a study asks of a case"};
}

}  // namespace rooflab::task
