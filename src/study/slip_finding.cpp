// Printed figures of one row that contradict each other; figures of ours are not needed.
//
//   quotients   intensity = FLOPs / bytes, throughput = FLOPs / time. A row may print several
//               counts, bytes and times (estimated, counted, forward and backward); the printed
//               quotient must be one of theirs
//   sums        FLOPs (or bytes) of the step = forward + backward, where all three are printed
//   products    bytes of the parameters = parameters * bytes each
//
// More than 1 % apart is a contradiction: three printed digits round by 0.5 % at most, and both
// sides may have been rounded. A slip in the last digits is not seen. A quotient may also have been
// made of figures that the row does not print; the sentence says only what is there.

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>

#include "finding_rules.hpp"
#include "own_counts.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::study {
namespace {

constexpr double most_rounding = 0.01;

/// A printed figure, or the sum of two.
struct Term {
  std::string name;
  double value = 0.0;
};

bool agree(double a, double b) {
  return std::abs(a - b) <= most_rounding * std::max(std::abs(a), std::abs(b));
}

std::vector<Term> terms_of(const PublishedCase& published,
                           std::initializer_list<std::string_view> quantities,
                           std::string_view forward, std::string_view backward) {
  std::vector<Term> terms;
  for (const std::string_view quantity : quantities) {
    if (const auto value = published.value(quantity)) {
      terms.push_back({std::string(quantity), *value});
    }
  }
  const auto before = published.value(forward);
  const auto after = published.value(backward);
  if (before && after) terms.push_back({format("({} + {})", forward, backward), *before + *after});
  return terms;
}

void add_quotient(std::vector<Finding>& found, const PublishedCase& published,
                  std::string_view quantity, std::string_view unit, const std::vector<Term>& above,
                  const std::vector<Term>& below) {
  const auto printed = published.value(quantity);
  if (!printed || above.empty() || below.empty()) return;
  Finding finding{.kind = Finding::Kind::slip, .subject = published.name};
  for (const Term& counter : above) {
    for (const Term& divisor : below) {
      const double value = counter.value / divisor.value;
      if (agree(*printed, value)) return;
      finding.evidence.push_back(format("{} / {} = {} / {} = {}", counter.name, divisor.name,
                                        si(counter.value, ""), si(divisor.value, ""),
                                        si(value, unit)));
    }
  }
  finding.sentence = format("{} is printed as {}, which is no quotient of the row's own figures",
                            quantity, si(*printed, unit));
  found.push_back(std::move(finding));
}

void add_sum(std::vector<Finding>& found, const PublishedCase& published, const OwnCounts& own,
             std::string_view total, std::string_view forward, std::string_view backward,
             std::string_view unit) {
  const auto printed = published.value(total);
  const auto before = published.value(forward);
  const auto after = published.value(backward);
  if (!printed || !before || !after || agree(*printed, *before + *after)) return;
  Finding finding{.kind = Finding::Kind::slip, .subject = published.name};
  finding.sentence = format("{} is printed as {}, but {} and {} add up to {}", total,
                            si(*printed, unit), forward, backward, si(*before + *after, unit));
  finding.evidence.push_back(format("{} + {} = {}, not {}", si(*before, unit), si(*after, unit),
                                    si(*before + *after, unit), si(*printed, unit)));
  finding.evidence.push_back(format("the printed {} would need a {} of {}", total, backward,
                                    si(*printed - *before, unit)));
  const auto& batch = published.key.batch;
  const auto ours = batch ? own.backward_matrix(*batch) : std::nullopt;
  if (unit == "FLOP" && ours && own.forward_matrix()) {
    const double pass = *own.forward_matrix() * *batch;
    finding.evidence.push_back(
        format("our counts of matrix work: forward {}, backward {}, together "
               "{}",
               si(pass, unit), si(*ours, unit), si(pass + *ours, unit)));
  }
  found.push_back(std::move(finding));
}

/// Parameters may be in any floating type, so only a size that fits none contradicts.
void add_product(std::vector<Finding>& found, const PublishedCase& published) {
  const auto count = published.value("parameters");
  const auto bytes = published.value("parameter_memory");
  if (!count || !bytes) return;
  constexpr std::array sizes = {1.0, 2.0, 4.0, 8.0};
  if (std::ranges::any_of(sizes, [&](double size) { return agree(*bytes, *count * size); })) return;
  Finding finding{.kind = Finding::Kind::slip, .subject = published.name};
  finding.sentence = format("{} of parameters are not {} parameters of 1, 2, 4 or 8 bytes each",
                            si(*bytes, "B"), si(*count, ""));
  finding.evidence.push_back(
      format("{} / {} = {:.3f} bytes each", si(*bytes, "B"), si(*count, ""), *bytes / *count));
  found.push_back(std::move(finding));
}

}  // namespace

std::vector<Finding> slip_findings(const FindingContext& context) {
  std::vector<Finding> found;
  for (const PublishedCase& published : context.published) {
    const std::vector<Term> flops =
        terms_of(published, {"flops", "counted_flops", "estimated_flops"}, "forward_flops",
                 "backward_flops");
    const std::vector<Term> bytes = terms_of(published, {"bytes", "dram_bytes", "estimated_bytes"},
                                             "forward_bytes", "backward_bytes");
    const std::vector<Term> times = terms_of(published, {"time", "estimated_time"}, "", "");
    // A quotient of what is held is a finding of its own kind.
    std::vector<Term> held = bytes;
    if (const auto memory = published.value("memory")) held.push_back({"memory", *memory});
    for (const std::string_view quantity : {"intensity", "counted_intensity"}) {
      add_quotient(found, published, quantity, "FLOP/B", flops, held);
    }
    for (const std::string_view quantity : {"throughput", "counted_throughput"}) {
      add_quotient(found, published, quantity, "FLOP/s", flops, times);
    }
    const OwnCounts own(context, published.key);
    for (const std::string_view total : {"flops", "estimated_flops"}) {
      add_sum(found, published, own, total, "forward_flops", "backward_flops", "FLOP");
    }
    for (const std::string_view total : {"bytes", "estimated_bytes"}) {
      add_sum(found, published, own, total, "forward_bytes", "backward_bytes", "B");
    }
    add_product(found, published);
  }
  return found;
}

}  // namespace rooflab::study
