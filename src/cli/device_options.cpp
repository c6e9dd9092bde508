#include "device_options.hpp"

#include <algorithm>

#include "error_context.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/predict/paleo.hpp"

namespace rooflab::cli {
namespace {

/// `0.62` or `62%`, above 0 and up to 1.
double fraction(std::string_view text) {
  const bool percent = text.ends_with('%');
  const std::optional<double> number =
      parse_number(trim(percent ? text.substr(0, text.size() - 1) : text));
  const double value = number ? (percent ? *number / 100.0 : *number) : 0.0;
  if (!(value > 0.0 && value <= 1.0)) {
    throw Error(ErrorKind::usage,
                format("--ppp takes fractions of the peak above 0 and up to 1, not '{}'", text),
                "--ppp 0.62 or --ppp 62%; a second one, after a comma, is for the bandwidth");
  }
  return value;
}

}  // namespace

void DeviceOptions::add_folder_to(Command command) {
  command
      .add_option("--devices-dir", folder_, "folder of device files that add to the built-in ones")
      .type_name("DIR");
}

void DeviceOptions::add_to(Command command, bool device_required) {
  command.add_option("--device", names_, "devices, separated by commas (see devices)")
      .type_name("D,...")
      .required(device_required)
      .expected(1)
      .take_all();
  command.add_option("--ppp", percent_, "percent of peak: arithmetic, then memory bandwidth (1)")
      .type_name("C[,M]|NAME");
  add_folder_to(command);
}

device::Catalog DeviceOptions::catalog() const {
  device::Catalog catalog = device::Catalog::built_in();
  if (folder_.empty()) return catalog;
  with_hint("docs/formats/device.md describes device files", [&] { catalog.add_folder(folder_); });
  return catalog;
}

std::vector<device::Device> DeviceOptions::devices(std::span<const device::Device> besides) const {
  const device::Catalog known = catalog();
  std::vector<device::Device> chosen;
  for (const std::string& names : names_) {
    for (const std::string& name : split(names, ',')) {
      if (trim(name).empty()) {
        throw Error(ErrorKind::usage, format("--device '{}' names no device", names),
                    "for example --device t4,h200 (rooflab devices)");
      }
      const auto named = std::ranges::find(besides, trim(name), &device::Device::id);
      chosen.push_back(named == besides.end() ? known.find(std::string(trim(name))) : *named);
    }
  }
  return chosen;
}

predict::PercentOfPeak DeviceOptions::percent_of_peak() const {
  predict::PercentOfPeak percent;
  if (percent_.empty()) return percent;
  if (predict::names_paleo_preset(percent_)) return predict::paleo_preset(percent_).percent;
  const std::vector<std::string> parts = split(percent_, ',');
  if (parts.size() > 2) {
    throw Error(ErrorKind::usage, format("--ppp takes one or two fractions, not '{}'", percent_),
                "--ppp 0.62 or --ppp 62%,80%");
  }
  percent.compute = fraction(parts[0]);
  if (parts.size() == 2) percent.memory = fraction(parts[1]);
  return percent;
}

std::vector<std::string> DeviceOptions::words() const {
  std::vector<std::string> words;
  if (!percent_.empty()) words.insert(words.end(), {"--ppp", percent_});
  if (!folder_.empty()) words.insert(words.end(), {"--devices-dir", folder_});
  return words;
}

}  // namespace rooflab::cli
