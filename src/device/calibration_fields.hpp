#pragma once

#include <concepts>
#include <type_traits>

#include "rooflab/device/calibration.hpp"

/// The fields of all parts of a calibration, in the order of the compiled form: the only list, used
/// for writing and reading. A structured binding must name every field, so that a new one does not
/// compile before it is listed here.
namespace rooflab::device {

template <class T, class Plain>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Plain>;

template <class Archive>
void visit_fields(Archive& archive, MaybeConst<MeasuredFigure> auto& figure) {
  auto& [name, unit, value, least, most, repetitions, at] = figure;
  archive(name, unit, value, least, most, repetitions, at);
}

template <class Archive>
void visit_fields(Archive& archive, MaybeConst<VectorAddition> auto& row) {
  auto& [launch, memory, elements, kernel_s, to_device_s, to_host_s, total_s, correct] = row;
  archive(launch, memory, elements, kernel_s, to_device_s, to_host_s, total_s, correct);
}

template <class Archive>
void visit_fields(Archive& archive, MaybeConst<OpRow> auto& row) {
  auto& [sizes, time_s, workspace_bytes] = row;
  archive(sizes, time_s, workspace_bytes);
}

template <class Archive>
void visit_fields(Archive& archive, MaybeConst<Origin> auto& origin) {
  auto& [title, url, license, environment] = origin;
  archive(title, url, license, environment);
}

template <class Archive>
void visit_fields(Archive& archive, MaybeConst<PublishedRows> auto& published) {
  auto& [origin, rows, too_short, outliers, launch_s, error_of_all, error_of_kept, factor, spread] =
      published;
  archive(origin, rows, too_short, outliers, launch_s, error_of_all, error_of_kept, factor, spread);
}

template <class Archive>
void visit_fields(Archive& archive, MaybeConst<OpTable> auto& table) {
  auto& [columns, rows, curve, lengths, noise, amplitude, error, published] = table;
  archive(columns, rows, curve, lengths, noise, amplitude, error, published);
}

template <class Archive>
void visit_fields(Archive& archive, MaybeConst<HostCost> auto& cost) {
  auto& [inference_s, forward_s, backward_s] = cost;
  archive(inference_s, forward_s, backward_s);
}

template <class Archive>
void visit_fields(Archive& archive, MaybeConst<HostCosts> auto& host) {
  auto& [issuer, version, cpu, ops, autocast, optimizer_fixed_s, optimizer_per_tensor_s, loss_s,
         step_s, module_call_s, jitter] = host;
  archive(issuer, version, cpu, ops, autocast, optimizer_fixed_s, optimizer_per_tensor_s, loss_s,
          step_s, module_call_s, jitter);
}

template <class Archive>
void visit_fields(Archive& archive, MaybeConst<LinkRow> auto& row) {
  auto& [collective, ranks, bytes, time_s, origin] = row;
  archive(collective, ranks, bytes, time_s, origin);
}

/// Visits only the sentence of a note, as in the calibration's file.
template <class Archive>
void visit_fields(Archive& archive, MaybeConst<Note> auto& note) {
  std::string text = note.with_subject();
  archive(text);
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(note)>>) {
    note = Note{plain_sentence, {text}};
  }
}

template <class Archive>
void visit_fields(Archive& archive, MaybeConst<Calibration> auto& calibration) {
  auto& [id, device, device_name, command, environment, figures, vector_additions, origins, ops,
         hosts, links, notes] = calibration;
  archive(id, device, device_name, command, environment, figures, vector_additions, origins, ops,
          hosts, links, notes);
}

template <class Archive>
void visit_fields(Archive& archive, MaybeConst<CalibratedKind> auto& kind) {
  auto& [name, fitted, published] = kind;
  archive(name, fitted, published);
}

template <class Archive>
void visit_fields(Archive& archive, MaybeConst<CalibrationEntry> auto& entry) {
  auto& [id, device, device_name, date, figures, kinds, issuers] = entry;
  archive(id, device, device_name, date, figures, kinds, issuers);
}

}  // namespace rooflab::device
