// Cases that are larger than the device they are said to have run on.
//
//   predicted   our case of the same network, device, batch and phase needs more than the device
//               has (`total_memory`, else `memory`, against `device_memory`). Phases must be equal
//               here: what autograd keeps is most of the memory. Our figures are low rather than
//               high (docs/methods/memory.md): they leave out workspaces and, on devices that were
//               not probed, the driver's context, so that no margin is needed. Where several cases
//               of ours fit the row, such as two precisions that it does not tell apart, none of
//               them may fit the device
//   published   the row's own `memory` is more than all its GPUs have together
//
// When it is wrong: memory that the driver pages to the host, activations that are recomputed or
// kept elsewhere, and a publisher who counted other processes in.

#include <algorithm>

#include "base/format.hpp"
#include "explanation_rules.hpp"

namespace rooflab::study {
namespace {

std::optional<double> needed_by(const OwnCase& own) {
  const auto total = own.figure("total_memory");
  return total ? total : own.figure("memory");
}

std::optional<Explanation> predicted_explanation(const ComparedRows& context,
                                                 const PublishedCase& published) {
  const OwnCase* smallest = nullptr;
  for (const OwnCase* own : own_cases_of(context, published.key)) {
    const bool is_same = same_case(own->key, published.key) && !own->key.device.empty() &&
                         !published.key.device.empty() && own->key.batch == published.key.batch &&
                         own->key.phase == published.key.phase &&
                         same_data(own->key, published.key);
    // What ran out of memory here tells only what it held until then.
    const bool is_whole = own->study_case->reason.empty();
    if (!is_same || !is_whole || !needed_by(*own) || !own->figure("device_memory")) continue;
    if (smallest == nullptr || *needed_by(*own) < *needed_by(*smallest)) smallest = own;
  }
  if (smallest == nullptr) return std::nullopt;
  const double needed = *needed_by(*smallest);
  const double there = *smallest->figure("device_memory");
  if (needed <= there) return std::nullopt;
  Explanation explanation{.kind = Explanation::Kind::cannot_fit, .subject = published.name};
  add_figures(explanation, published, {"time"});
  const auto time = published.value("time");
  explanation.sentence =
      format("the case needs {} by {}, the device has {}{}", si(needed, "B"), smallest->origin(),
             si(there, "B"),
             time ? format(": the time of {} is not that of this case", si(*time, "s"))
                  : ": it cannot run, and figures of it are estimates");
  add_evidence(explanation, "{} more than the device has", si(needed - there, "B"));
  if (const auto saved = smallest->figure("saved_activations")) {
    add_evidence(explanation, "activations that are held after the forward pass: {}",
                 si(*saved, "B"));
  }
  for (const PublishedCase* other : same_work_elsewhere(context, published)) {
    if (const auto memory = other->value("memory")) {
      add_evidence(explanation, "the same source prints {} of memory for it on {}",
                   si(*memory, "B"), other->key.device);
    }
  }
  return explanation;
}

std::optional<Explanation> published_explanation(const PublishedCase& published) {
  const auto memory = published.value("memory");
  if (!memory || !published.key.known_device) return std::nullopt;
  const device::Device& device = *published.key.known_device;
  if (!device.memory || *memory <= published.key.gpus * device.memory->value) return std::nullopt;
  const double there = published.key.gpus * device.memory->value;
  const std::string gpus =
      published.key.gpus == 1.0 ? "" : format("{:.0f} times ", published.key.gpus);
  Explanation explanation{
      Explanation::Kind::cannot_fit,
      published.name,
      format("{} of memory are more than the {}{} of {}: it was another device, or this is not its"
             " memory",
             si(*memory, "B"), gpus, si(device.memory->value, "B"), device.name),
      {format("{} / {} = {:.3g}", si(*memory, "B"), si(there, "B"), *memory / there)}};
  add_figures(explanation, published, {"memory"});
  return explanation;
}

}  // namespace

void add_cannot_fit(const ComparedRows& context, std::vector<Explanation>& found) {
  for (const PublishedCase& published : context.published) {
    add(found, predicted_explanation(context, published));
    add(found, published_explanation(published));
  }
}

}  // namespace rooflab::study
