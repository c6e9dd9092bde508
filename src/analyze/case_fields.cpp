#include "rooflab/analyze/case_result.hpp"
#include "rooflab/base/field_table.hpp"
#include "rooflab/base/quotient.hpp"

namespace rooflab::analyze {
namespace {

void read_device(CaseResult& result, const JsonValue& from) {
  result.device.id = result.device.name = from.text();
}

std::optional<Bytes> device_memory(const CaseResult& result) {
  const auto& memory = result.device.memory;
  return memory ? std::optional(Bytes(static_cast<std::int64_t>(memory->value))) : std::nullopt;
}

std::optional<double> samples_per_s(const CaseResult& result) {
  const std::optional<Seconds> step = result.predicted_time();
  return step ? quotient(static_cast<double>(result.batch), step->value) : std::nullopt;
}

template <Seconds predict::StepTime::*end>
std::optional<Seconds> interval_end(const CaseResult& result) {
  return result.has_interval() ? std::optional((*result.prediction).*end) : std::nullopt;
}

/// Reads version 1, whose predictions did not hold their own time.
template <Seconds predict::StepTime::*member>
void read_expected(CaseResult& result, const JsonValue& from) {
  if (result.has_interval()) codec::decode((*result.prediction).*member, from);
}

}  // namespace

// Files of before there were predictions have none of their keys. A prediction is read before its
// time and interval.
std::span<const Field> fields_of(For<CaseResult>) {
  using predict::StepTime;
  static constexpr Field fields[] = {
      field<&CaseResult::model>("model"),
      field<Within{&CaseResult::device, &device::Device::id}, &read_device>("device"),
      field<&CaseResult::batch>("batch"),
      field<&CaseResult::phase>("phase"),
      field<&CaseResult::precision>("precision"),
      part<&CaseResult::limit>(),
      field<&CaseResult::prediction_model>("prediction_model").or_default(),
      field<&CaseResult::prediction>("prediction"),
      field<&CaseResult::predicted_time, &read_expected<&StepTime::time>>("predicted_s"),
      field<&interval_end<&StepTime::low>, &read_expected<&StepTime::low>>("predicted_low_s"),
      field<&interval_end<&StepTime::high>, &read_expected<&StepTime::high>>("predicted_high_s"),
      field<&samples_per_s>("samples_per_s"),
      field<&CaseResult::issued_by>("issued_by").or_default(),
      field<&CaseResult::calibration>("calibration"),
      field<&CaseResult::percent_time>("ppp_s"),
      field<&CaseResult::percent>("ppp"),
      field<&CaseResult::memory>("memory"),
      field<&device_memory>("device_memory_bytes"),
      field<IfThere{&CaseResult::fit, &predict::Fit::verdict}>("verdict"),
      field<IfThere{&CaseResult::fit, &predict::Fit::margin}>("margin_share"),
      part<&CaseResult::count>(),
      field<&CaseResult::notes>("notes"),
      field<&CaseResult::command>("command_line"),
      field<&CaseResult::layers>("layers")};
  return fields;
}

}  // namespace rooflab::analyze
