// Times and figures have six significant digits, far below what a repetition differs by, so that
// two calibrations can be compared line by line; counts and the parameters of models are exact.
// Numbers that were read are written as they were.

#include <cmath>
#include <set>

#include "base/format.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::device {
namespace {

std::string rounded(double value) { return format("{:.6g}", value); }

std::string exact(double value) {
  constexpr double largest_count = 9007199254740992.0;  // 2^53
  if (std::abs(value) < largest_count && std::trunc(value) == value) {
    return format("{:.0f}", value);
  }
  return format("{}", value);
}

/// A basic string of TOML.
std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (code < 0x20 || code == 0x7f) {
      result += format("\\u{:04X}", static_cast<unsigned>(code));
    } else {
      result += c;
    }
  }
  return result + '"';
}

/// A key, quoted where it must be.
std::string key_of(std::string_view name) {
  const auto bare = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '-'; };
  for (const char c : name) {
    if (!bare(c)) return in_quotes(name);
  }
  return name.empty() ? in_quotes(name) : std::string(name);
}

std::string line_of(const MeasuredFigure& figure) {
  const auto number = [&](double value) {
    return figure.unit == "B" ? exact(value) : rounded(value);
  };
  std::string text =
      format("  {{ name = {}, unit = {}, value = {}, least = {}, most = {}, repetitions = {}",
             in_quotes(figure.name), in_quotes(figure.unit), number(figure.value),
             number(figure.least), number(figure.most), figure.repetitions);
  if (!figure.at.empty()) text += ", at = " + in_quotes(figure.at);
  return text + " },\n";
}

std::string line_of(const VectorAddition& row) {
  std::string text =
      format("  {{ launch = {}, memory = {}, elements = {}, kernel_s = {}", in_quotes(row.launch),
             in_quotes(row.memory), row.elements, rounded(row.kernel_s));
  if (row.to_device_s) text += ", to_device_s = " + rounded(*row.to_device_s);
  if (row.to_host_s) text += ", to_host_s = " + rounded(*row.to_host_s);
  return text + format(", total_s = {}, correct = {} }},\n", rounded(row.total_s), row.correct);
}

std::string table_of(const LinkRow& row) {
  std::string text =
      format("\n[[links]]\ncollective = {}\nranks = {}\nbytes = {}\ntime_s = {}\n",
             in_quotes(row.collective), row.ranks, exact(row.bytes), rounded(row.time_s));
  if (!row.origin.empty()) text += format("origin = {}\n", in_quotes(row.origin));
  return text;
}

std::string table_of(const Origin& origin, const std::string& key) {
  return format("\n[origins.{}]\ntitle = {}\nurl = {}\nlicense = {}\nenvironment = {}\n", key,
                in_quotes(origin.title), in_quotes(origin.url), in_quotes(origin.license),
                in_quotes(origin.environment));
}

std::string line_of(const PublishedRows& published) {
  std::string text = format(
      "published = {{ origin = {}, rows = {}, too_short = {}, outliers = {}, launch_s = {}, "
      "error_of_all = {}, error_of_kept = {}",
      in_quotes(published.origin), published.rows, published.too_short, published.outliers,
      rounded(published.launch_s), rounded(published.error_of_all),
      rounded(published.error_of_kept));
  if (published.factor != 1.0) text += ", factor = " + rounded(published.factor);
  if (published.spread != 0.0) text += ", spread = " + rounded(published.spread);
  return text + " }\n";
}

/// `name = [`, a line for each element, `]`.
template <class Elements, class Line>
std::string list_of(std::string_view name, const Elements& elements, Line line) {
  if (elements.empty()) return {};
  std::string text = format("\n{} = [\n", name);
  for (const auto& element : elements) text += line(element);
  return text + "]\n";
}

std::string inline_table(const std::map<std::string, double>& times) {
  std::vector<std::string> pairs;
  pairs.reserve(times.size());
  for (const auto& [name, time_s] : times) {
    pairs.push_back(format("{} = {}", key_of(name), rounded(time_s)));
  }
  return format("{{ {} }}", join(pairs, ", "));
}

std::string inline_list(const std::vector<double>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const double value : values) texts.push_back(exact(value));
  return format("[{}]", join(texts, ", "));
}

std::string table_of(const std::map<std::string, HostCost>& ops, const std::string& key) {
  if (ops.empty()) return {};
  std::string text = format("\n[{}]\n", key);
  for (const auto& [name, cost] : ops) {
    text += format("{} = {{ inference_s = {}", key_of(name), rounded(cost.inference_s));
    if (cost.forward_s) text += ", forward_s = " + rounded(*cost.forward_s);
    if (cost.backward_s) text += ", backward_s = " + rounded(*cost.backward_s);
    text += " }\n";
  }
  return text;
}

std::string table_of(const HostCosts& host, const std::string& key) {
  std::string text = format("\n[host.{}]\nissuer = {}\nversion = {}\ncpu = {}\n", key,
                            in_quotes(host.issuer), in_quotes(host.version), in_quotes(host.cpu));
  text += format("loss_s = {}\nstep_s = {}\n", rounded(host.loss_s), rounded(host.step_s));
  if (host.module_call_s) text += format("module_call_s = {}\n", rounded(*host.module_call_s));
  if (host.jitter != 1.0) text += format("jitter = {}\n", rounded(host.jitter));
  if (!host.optimizer_fixed_s.empty()) {
    text += format("optimizer_fixed_s = {}\n", inline_table(host.optimizer_fixed_s));
  }
  if (!host.optimizer_per_tensor_s.empty()) {
    text += format("optimizer_per_tensor_s = {}\n", inline_table(host.optimizer_per_tensor_s));
  }
  return text + table_of(host.ops, format("host.{}.ops", key)) +
         table_of(host.autocast, format("host.{}.autocast", key));
}

std::string table_of(const OpTable& table, const std::string& key) {
  std::vector<std::string> columns;
  for (const std::string& name : table.columns) columns.push_back(in_quotes(name));
  std::string text = format("\n[ops.{}]\ncolumns = [{}]\n", key, join(columns, ", "));
  const bool fitted = !table.curve.empty() || !table.lengths.empty() || table.noise != 0.0 ||
                      table.amplitude != 0.0 || table.error != 0.0;
  if (fitted) {
    text += format("curve = {}\nlengths = {}\nnoise = {}\namplitude = {}\nerror = {}\n",
                   inline_list(table.curve), inline_list(table.lengths), exact(table.noise),
                   exact(table.amplitude), exact(table.error));
  }
  if (table.published) text += line_of(*table.published);
  text += "rows = '''\n";
  for (const OpRow& row : table.rows) {
    for (const double size : row.sizes) text += exact(size) + ' ';
    text += rounded(row.time_s) + ' ';
    text += row.workspace_bytes ? exact(*row.workspace_bytes) : "-";
    text += '\n';
  }
  return text + "'''\n";
}

/// Hosts are named after their issuer; the second of the same has a number.
std::string free_name(const std::string& issuer, std::set<std::string>& taken) {
  std::string name = issuer;
  for (int number = 2; !taken.insert(name).second; ++number) name = format("{}-{}", issuer, number);
  return name;
}

}  // namespace

std::string to_toml(const Calibration& calibration) {
  std::string text = calibration.origins.empty()
                         ? "# A calibration: what `rooflab probe` measured on one device.\n\n"
                         : "# A calibration: published measurements of one device.\n\n";
  text += format("id = {}\n", in_quotes(calibration.id));
  if (!calibration.device.empty()) text += format("device = {}\n", in_quotes(calibration.device));
  text += format("device_name = {}\n", in_quotes(calibration.device_name));
  if (!calibration.command.empty())
    text += format("command = {}\n", in_quotes(calibration.command));
  text += list_of("notes", calibration.notes, [](const Note& note) {
    return format("  {},\n", in_quotes(note.with_subject()));
  });
  text += list_of("figures", calibration.figures,
                  [](const MeasuredFigure& figure) { return line_of(figure); });
  text += list_of("vector_additions", calibration.vector_additions,
                  [](const VectorAddition& row) { return line_of(row); });
  if (!calibration.environment.empty()) text += "\n[environment]\n";
  for (const auto& [name, value] : calibration.environment) {
    text += format("{} = {}\n", key_of(name), in_quotes(value));
  }
  for (const auto& [name, origin] : calibration.origins) text += table_of(origin, key_of(name));
  std::set<std::string> taken;
  for (const HostCosts& host : calibration.hosts) {
    text += table_of(host, key_of(free_name(host.issuer, taken)));
  }
  for (const LinkRow& row : calibration.links) text += table_of(row);
  for (const auto& [kind, table] : calibration.ops) text += table_of(table, key_of(kind));
  return text;
}

}  // namespace rooflab::device
