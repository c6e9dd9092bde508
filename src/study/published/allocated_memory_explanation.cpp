// Memory that is held, printed as bytes that are moved.
//
// What a network holds (parameters, activations kept for the backward pass, the allocator's peak)
// is not what its ops read and write: an activation that is kept once is written once and read
// several times. Three signs, the first and the second without figures of ours:
//
//   one number       a row's bytes are within 1 % its own `memory`, or the sum of the sizes that it
//                    prints: input, parameters and all outputs (`activation_memory`), each once
//   quotient         the printed intensity is FLOPs / memory within 1 %, and no printed bytes give
//   it our figures      the bytes are within 10 % of memory (published, or ours: allocated peak,
//   saved
//                    activations, total) and not within 10 % of our compulsory bytes, which must be
//                    known. 10 % is what allocators round and predictions of memory are off
//
// Bytes may come near to a memory by chance: a training step of few images reads its weights and
// writes their gradients, and the same is what it holds. So the third sign counts only when every
// row of the source that can be told has it, and for hardware counts (`dram_bytes`) two networks or
// more; what was estimated by pen comes from a rule, and one row suffices.

#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.hpp"
#include "explanation_rules.hpp"

namespace rooflab::study {
namespace {

constexpr double most_difference = 0.10;

/// A figure of memory that is held, with words for it.
struct Held {
  std::string words;
  double bytes = 0.0;
};

struct OwnBytes {
  double compulsory = 0.0;
  std::vector<Held> held;
};

/// Ours of the row's case. Inference keeps nothing, forward does: the pass is the same, the memory
/// is not, and either may be what was meant.
std::optional<OwnBytes> own_bytes_of(const ComparedRows& context, const PublishedCase& published) {
  OwnBytes bytes;
  for (const OwnCase* own : own_cases_of(context, published.key)) {
    if (!published.key.batch || own->key.batch != published.key.batch) continue;
    if (!published.key.phase || !own->key.phase) continue;
    if (!same_case(own->key, published.key)) continue;
    if (const auto compulsory = own->figure("bytes")) {
      bytes.compulsory = std::max(bytes.compulsory, *compulsory);
    }
    constexpr std::pair<std::string_view, std::string_view> names[] = {
        {"saved_activations", "activations held after the forward pass"},
        {"memory", "allocated peak"},
        {"total_memory", "total memory"}};
    for (const auto& [quantity, words] : names) {
      if (const auto value = own->figure(quantity)) {
        bytes.held.push_back({format("our {}", words), *value});
      }
    }
  }
  if (bytes.compulsory <= 0.0) return std::nullopt;
  return bytes;
}

/// The memory that the bytes are, and the traffic that they are not.
struct Match {
  const PublishedCase* published = nullptr;
  double bytes = 0.0;
  double compulsory = 0.0;  ///< 0: not known
  bool says_so = false;     ///< the row itself
  Held held;
};

/// Whether it can be told at all, and if so what the bytes are.
struct Check {
  bool can_tell = false;
  std::optional<Match> match;
};

Check check_bytes(const ComparedRows& context, const PublishedCase& published, double bytes) {
  const auto own = own_bytes_of(context, published);
  Match match{&published, bytes, own ? own->compulsory : 0.0, true, {}};
  const auto memory = published.value("memory");
  const auto input = published.value("input_memory");
  const auto parameters = published.value("parameter_memory");
  const auto outputs = published.value("activation_memory");
  std::vector<Held> printed;
  if (memory) printed.push_back({"the row's own memory", *memory});
  if (input && parameters && outputs) {
    printed.push_back({"the row's sizes of input, parameters and outputs, each once,",
                       *input + *parameters + *outputs});
  }
  for (const Held& held : printed) {
    if (!near(bytes, held.bytes, most_rounding)) continue;
    match.held = held;
    return {true, match};
  }
  if (!own) return {};
  if (near(bytes, own->compulsory, most_difference)) return {true, std::nullopt};
  std::vector<Held> held = own->held;
  if (memory) held.push_back(printed.front());
  std::erase_if(held, [&](const Held& each) { return !near(bytes, each.bytes, most_difference); });
  if (held.empty()) return {true, std::nullopt};
  match.says_so = false;
  match.held = *std::ranges::min_element(
      held, {}, [&](const Held& each) { return std::abs(each.bytes / bytes - 1.0); });
  return {true, match};
}

void add_estimated_time(Explanation& explanation, const PublishedCase& published, double bytes) {
  const auto time = published.value("estimated_time");
  if (!time || !published.key.known_device || !published.key.known_device->bandwidth) return;
  const double bandwidth = published.key.known_device->bandwidth->value;
  if (!near(bytes / bandwidth, *time, most_rounding)) return;
  add_evidence(explanation, "the estimated time is these bytes over the bandwidth: {} / {} = {}",
               si(bytes, "B"), si(bandwidth, "B/s"), si(bytes / bandwidth, "s"));
}

Explanation bytes_explanation(std::string_view quantity, const Match& match) {
  Explanation explanation{.kind = Explanation::Kind::allocated_memory,
                          .subject = match.published->name};
  add_figures(explanation, *match.published, {quantity});
  const std::string held = si(match.held.bytes, "B");
  explanation.sentence = format("{} is memory that is held, not traffic: {} against {} {}",
                                quantity, si(match.bytes, "B"), match.held.words, held);
  add_evidence(explanation, "{} / {} = {:.3f}", si(match.bytes, "B"), held,
               match.bytes / match.held.bytes);
  if (match.compulsory > 0.0) {
    add_evidence(explanation, "every tensor read and written once is {}: {:.3g} times as much",
                 si(match.compulsory, "B"), match.compulsory / match.bytes);
  }
  add_estimated_time(explanation, *match.published, match.bytes);
  return explanation;
}

/// Matches of one quantity in one source; those by chance are left out.
std::vector<Match> matches_of(const ComparedRows& context, std::string_view quantity,
                              const std::string& source) {
  std::vector<Match> matches;
  std::set<std::string> networks;
  bool all = true;
  for (const PublishedCase& published : context.published) {
    const auto bytes = published.value(quantity);
    if (published.row->source != source || !bytes) continue;
    const Check check = check_bytes(context, published, *bytes);
    if (check.match) {
      matches.push_back(*check.match);
      networks.insert(published.key.model);
    } else if (check.can_tell) {
      all = false;
    }
  }
  const std::size_t least_networks = quantity == "dram_bytes" ? 2 : 1;
  if (!all || networks.size() < least_networks) {
    std::erase_if(matches, [](const Match& match) { return !match.says_so; });
  }
  return matches;
}

std::optional<Explanation> quotient_explanation(const PublishedCase& published) {
  const auto memory = published.value("memory");
  for (const std::string_view quantity : {"intensity", "counted_intensity"}) {
    const auto intensity = published.value(quantity);
    if (!intensity || !memory) continue;
    for (const std::string_view count : {"counted_flops", "estimated_flops", "flops"}) {
      const auto flops = published.value(count);
      if (!flops || !near(*intensity, *flops / *memory, most_rounding)) continue;
      const auto is_given_by = [&](std::string_view name) {
        const auto bytes = published.value(name);
        return bytes && near(*intensity, *flops / *bytes, most_rounding);
      };
      if (is_given_by("dram_bytes") || is_given_by("estimated_bytes") || is_given_by("bytes")) {
        continue;
      }
      Explanation explanation{
          Explanation::Kind::allocated_memory,
          published.name,
          format("{} {} is {} over memory that is held, not over bytes that are moved", quantity,
                 si(*intensity, "FLOP/B"), count),
          {format("{} / {} = {}", si(*flops, "FLOP"), si(*memory, "B"),
                  si(*flops / *memory, "FLOP/B"))}};
      add_figures(explanation, published, {quantity});
      return explanation;
    }
  }
  return std::nullopt;
}

}  // namespace

void add_allocated_memory(const ComparedRows& context, std::vector<Explanation>& found) {
  std::set<std::string_view> told;
  for (const PublishedCase& published : context.published) {
    const std::string& source = published.row->source;
    if (!told.insert(source).second) continue;
    for (const std::string_view quantity : {"dram_bytes", "estimated_bytes", "bytes"}) {
      for (const Match& match : matches_of(context, quantity, source)) {
        found.push_back(bytes_explanation(quantity, match));
      }
    }
  }
  for (const PublishedCase& published : context.published)
    add(found, quotient_explanation(published));
}

}  // namespace rooflab::study
