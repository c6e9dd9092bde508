#include "unseen_case.hpp"

#include "base/format.hpp"
#include "describe/fields.hpp"
#include "published_rows.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::accuracy {

std::string data_path(const std::string& file) {
  return repository_path("tests/data/accuracy/" + file);
}

namespace {

UnseenCase unseen_case(const JsonFields& row) {
  UnseenCase one;
  one.network = row.text("network");
  one.size = row.integer("size");
  one.from_file = row.text("source") == "onnx";
  const JsonFields pytorch = row.object("pytorch");
  one.measured_s = pytorch.number("median_s");
  one.allocated_bytes = pytorch.number("allocated_peak_bytes");
  if (const auto host = pytorch.optional_object("host")) {
    one.host = from_json<record::HostCosts>(*host);
  }
  one.device_s = row.object("rooflab").optional_number("device_s");
  one.request = {.network = one.network,
                 .batch = row.integer("batch"),
                 .phase = from_name<Phase>(row.text("phase")).value(),
                 .precision = from_name<Precision>(row.text("precision")).value(),
                 .channels_last = row.text("layout") == "nhwc"};
  if (one.from_file) {
    one.request.network = data_path(format("onnx/{}-{}.onnx", one.network, one.size));
  } else {
    one.request.image_size = one.size;
    one.request.variant = one.network == "googlenet" ? "aux" : "";
  }
  return one;
}

}  // namespace

std::string UnseenCase::text() const {
  return format("{}, {}, batch {}, {} {}{}{}", name_of(request.phase), name_of(request.precision),
                request.batch, size, from_file ? "tokens" : "px",
                request.channels_last ? ", nhwc" : "", from_file ? ", ONNX file" : "");
}

std::vector<UnseenCase> unseen_cases(const std::string& file) {
  std::vector<UnseenCase> cases;
  for (const std::string& line : split(read_file(data_path(file)), '\n')) {
    if (line.empty()) continue;
    const Json row = parse_json(line, file);
    cases.push_back(unseen_case(JsonFields(row, file)));
  }
  return cases;
}

}  // namespace rooflab::accuracy
