// data/links.toml, read once, and which of its links a device has.
//
// A device file says `gpu_link` (NVLink or Infinity Fabric, both directions together) and `pcie`
// (generation and lanes), not the generation of NVLink: that follows from the architecture. Boards
// of one generation have different numbers of links (an H100 PCIe has a bridge of 600 GB/s, an SXM
// module 900), so the device's own figure is used, with the link's latency.

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

#include "base/format.hpp"
#include "base/toml.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/system/file.hpp"
#include "sourced_figure.hpp"

namespace rooflab::device {

std::span<const EmbeddedFile> built_in_link_files();  // written by cmake/embed.cmake

namespace {

Link read_link(const TomlTable& table) {
  constexpr std::array rates = {Unit{"Gb/s", 1e9, 8.0}, Unit{"GB/s", 1e9, 1.0}};
  constexpr std::array times = {Unit{"us", 1.0, 1e6}};
  table.allow_only({"id", "name", "bandwidth", "latency", "multiprocessors"});
  Link link;
  link.id = table.string("id");
  link.name = table.string("name");
  std::tie(link.bandwidth, link.source) = read_sourced_figure(table.table("bandwidth"), rates);
  std::tie(link.latency_s, link.latency_source) =
      read_sourced_figure(table.table("latency"), times);
  if (const TomlTable* const taken = table.optional_table("multiprocessors")) {
    taken->allow_only({"value", "source"});
    link.multiprocessors = static_cast<int>(taken->integer("value"));
    link.multiprocessors_source = taken->string("source");
  }
  return link;
}

std::vector<Link> read_links() {
  std::vector<Link> links;
  for (const EmbeddedFile& file : built_in_link_files()) {
    const TomlTable root = parse_toml(file.text, format("built-in {}", file.name));
    for (const TomlValue& element : root.at("links").as_array()) {
      links.push_back(read_link(element.as_table()));
    }
  }
  std::ranges::stable_sort(links, {}, &Link::bandwidth);
  return links;
}

const Link* find(std::string_view id) {
  const auto found = std::ranges::find(links(), id, &Link::id);
  return found == links().end() ? nullptr : &*found;
}

/// The link with another bandwidth.
Link narrowed(Link link, double bandwidth, const std::string& source) {
  if (std::abs(bandwidth - link.bandwidth) < 1e-3 * link.bandwidth) return link;
  link.bandwidth = bandwidth;
  link.source = source;
  const std::size_t bracket = link.name.find(" (");
  link.name =
      format("{} ({:.4g} GB/s per direction)", link.name.substr(0, bracket), bandwidth / 1e9);
  return link;
}

std::string_view gpu_link_of(const Device& device) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> generations = {
      {{"Pascal", "nvlink1"},
       {"Volta", "nvlink2"},
       {"Turing", "nvlink2"},
       {"Ampere", "nvlink3"},
       {"Hopper", "nvlink4"},
       {"Blackwell", "nvlink5"}}};
  if (device.vendor == "AMD") return "xgmi";
  for (const auto& [architecture, id] : generations) {
    if (device.architecture == architecture) return id;
  }
  return {};
}

}  // namespace

const std::vector<Link>& links() {
  static const std::vector<Link> all = read_links();
  return all;
}

const Link& link_from_name(std::string_view name) {
  const std::string wanted = lowercase(trim(name));
  if (const Link* const link = find(wanted)) return *link;
  std::vector<std::string> ids;
  for (const Link& link : links()) ids.push_back(link.id);
  throw Error(ErrorKind::usage, format("unknown link '{}'", name),
              near_hint(wanted, ids, format("known links: {}", join(ids, ", ")),
                        "rooflab devices --links"));
}

std::optional<Link> link_of(const Device& device) {
  if (device.gpu_link) {
    if (const Link* const link = find(gpu_link_of(device))) {
      return narrowed(*link, device.gpu_link->value / 2.0, device.gpu_link->source);
    }
  }
  if (!device.pcie) return std::nullopt;
  // `4.0 x16`: generation and lanes.
  const std::string& text = device.pcie->value;
  const Link* const link = find("pcie" + text.substr(0, text.find('.')));
  const std::size_t cross = text.find('x');
  if (link == nullptr || cross == std::string::npos) return std::nullopt;
  const std::optional<std::int64_t> lanes = parse_integer(text.substr(cross + 1));
  if (!lanes || *lanes < 1) return std::nullopt;
  return narrowed(*link, link->bandwidth * static_cast<double>(*lanes) / 16.0, device.pcie->source);
}

bool have_one_link(const Device& one, const Device& other) {
  const std::optional<Link> first = link_of(one);
  const std::optional<Link> second = link_of(other);
  return first && second && first->id == second->id && first->bandwidth == second->bandwidth;
}

}  // namespace rooflab::device
