#include "profile_writer.hpp"

#include <limits>

namespace rooflab::profile {

using Line = AppendedLines::Line;

void ProfileWriter::head(const ProfileHead& head) noexcept {
  lines_.write([&](Line& line) {
    line.text(R"({"rooflab_profile":1,"pid":)").integer(head.pid);
    line.text(",\"host\":").quoted(head.host);
    line.text(",\"command\":").texts(head.command);
    line.text(",\"executable\":").quoted(head.executable);
    line.text(",\"rank\":").integer_or_null(head.rank);
    line.text(",\"world_size\":").integer_or_null(head.world_size);
    line.text(",\"unix_ns\":").integer(head.unix_ns);
    line.text(",\"clock_ns\":").integer(head.clock_ns);
    line.text(",\"mode\":").quoted(head.mode);
    line.text(",\"window\":").quoted(head.window);
    line.text(",\"step\":").quoted(head.step);
    if (!head.counters) line.text(",\"counters\":false");
    line.text(",\"cupti\":").quoted(head.cupti);
    line.text(",\"cupti_path\":").quoted(head.cupti_path).text("}");
  });
}

void ProfileWriter::device(const ProfileDevice& device) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"device\":").integer(device.index);
    line.text(",\"name\":").quoted(device.name);
    line.text(",\"uuid\":").quoted(device.uuid);
    line.text(",\"chip\":").quoted(device.chip);
    line.text(",\"compute_capability\":").quoted(device.compute_capability);
    line.text(",\"multiprocessors\":").integer_or_null(device.multiprocessors);
    line.text(",\"memory_bytes\":").integer_or_null(device.memory_bytes);
    line.text(",\"driver\":").quoted(device.driver).text("}");
  });
}

void ProfileWriter::signature(std::uint32_t id, const ProfileKernel& kernel) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"kernel\":").integer(id).text(",\"name\":").quoted(kernel.name);
    line.text(",\"grid\":").integers(kernel.grid).text(",\"block\":").integers(kernel.block);
    if (kernel.dynamic_bytes > 0) line.text(",\"dynamic\":").integer(kernel.dynamic_bytes);
    line.text(",\"registers\":").integer_or_null(kernel.registers);
    line.text(",\"shared\":").integer_or_null(kernel.shared_bytes).text("}");
  });
}

void ProfileWriter::kernel(std::uint32_t id, std::int32_t device, std::int32_t stream,
                           std::int64_t start_ns, std::int64_t duration_ns,
                           std::uint32_t correlation, std::uint64_t node) noexcept {
  lines_.write([&](Line& line) {
    line.text("[\"k\",").integer(id).text(",").integer(device).text(",").integer(stream);
    line.text(",").integer(start_ns).text(",").integer(duration_ns).text(",").integer(correlation);
    if (node != 0) line.text(",").integer(node);
    line.text("]");
  });
}

void ProfileWriter::copy(bool fill, std::uint8_t direction, std::int32_t device,
                         std::int32_t stream, std::int64_t start_ns, std::int64_t duration_ns,
                         std::int64_t bytes, std::uint32_t correlation) noexcept {
  lines_.write([&](Line& line) {
    line.text(fill ? "[\"m\",1," : "[\"m\",0,").integer(unsigned{direction});
    line.text(",").integer(device).text(",").integer(stream).text(",").integer(start_ns);
    line.text(",").integer(duration_ns).text(",").integer(bytes).text(",").integer(correlation);
    line.text("]");
  });
}

void ProfileWriter::timed_steps(std::int64_t steps, std::int64_t ns) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"timed_steps\":").integer(steps).text(",\"ns\":").integer(ns).text("}");
  });
}

void ProfileWriter::step_begin(std::int64_t launch, std::int64_t ns) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"step_begin\":").integer(launch).text(",\"ns\":").integer(ns).text("}");
  });
}

void ProfileWriter::step_broke(std::int64_t ns) noexcept {
  lines_.write([&](Line& line) { line.text("{\"step_broke\":").integer(ns).text("}"); });
}

void ProfileWriter::sequence(std::span<const std::uint32_t> launches) noexcept {
  lines_.write([&](Line& line) { line.text("{\"sequence\":").integers(launches).text("}"); });
}

void ProfileWriter::ops_in(std::string_view recording) noexcept {
  lines_.write([&](Line& line) { line.text("{\"ops_in\":").quoted(recording).text("}"); });
}

void ProfileWriter::op_launch(std::uint32_t id, std::int64_t op,
                              std::uint32_t correlation) noexcept {
  lines_.write([&](Line& line) {
    line.text("[\"o\",").integer(id).text(",").integer(op).text(",").integer(correlation);
    line.text("]");
  });
}

void ProfileWriter::range(std::string_view names) noexcept {
  lines_.write([&](Line& line) { line.text("{\"range\":").quoted(names).text("}"); });
}

void ProfileWriter::node(std::uint64_t id, std::int32_t recording, std::int64_t op,
                         std::int32_t range) noexcept {
  lines_.write([&](Line& line) {
    line.text("[\"n\",").integer(id).text(",").integer(recording).text(",").integer(op);
    line.text(",").integer(range).text("]");
  });
}

void ProfileWriter::set(std::size_t index, CountedUnit unit,
                        std::span<const std::string> metrics) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"set\":").integer(index).text(",\"per\":");
    line.quoted(name_of(unit)).text(",\"metrics\":").texts(metrics).text("}");
  });
}

void ProfileWriter::values(std::size_t set, std::size_t ordinal, std::uint32_t id,
                           std::span<const double> values) noexcept {
  lines_.write([&](Line& line) {
    line.text("[\"v\",").integer(set).text(",").integer(ordinal).text(",").integer(id);
    for (const double value : values) line.text(",").number(value);
    line.text("]");
  });
}

void ProfileWriter::totals(std::size_t set, std::span<const double> values) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"totals\":").list(values, [&](double value) { line.number(value); });
    line.text(",\"set\":").integer(set).text("}");
  });
}

void ProfileWriter::set_done(std::size_t set, int passes, std::int64_t arming_ns,
                             std::int64_t wall_ns, std::int64_t launches,
                             std::int64_t dropped) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"set_done\":").integer(set).text(",\"passes\":").integer(passes);
    line.text(",\"arming_ns\":").integer(arming_ns).text(",\"wall_ns\":").integer(wall_ns);
    line.text(",\"launches\":").integer(launches).text(",\"dropped\":").integer(dropped).text("}");
  });
}

void ProfileWriter::counting_wall(std::int64_t wall_ns, std::int64_t arming_ns) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"counting_wall_ns\":").integer(wall_ns);
    line.text(",\"arming_ns\":").integer(arming_ns).text("}");
  });
}

void ProfileWriter::peaks(std::span<const std::pair<std::string, double>> peaks) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"peaks\":{");
    bool first = true;
    for (const auto& [metric, value] : peaks) {
      if (!first) line.text(",");
      first = false;
      line.quoted(metric).text(":").number(value);
    }
    line.text("}}");
  });
}

void ProfileWriter::message(std::uint32_t launch, const ProfileMessage& message) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"message\":").quoted(name_of(message.collective)).text(",\"launch\":");
    line.integer(launch).text(",\"elements\":").integer(message.elements).text(",\"type\":");
    line.quoted(message.type).text(",\"ranks\":").integer(message.ranks).text("}");
  });
}

void ProfileWriter::untraced(std::int64_t start_ns, std::int64_t end_ns) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"untraced\":[").integer(start_ns).text(",").integer(end_ns).text("]}");
  });
}

void ProfileWriter::launch_values(std::size_t set, std::uint32_t id,
                                  std::span<const double> values) noexcept {
  lines_.write([&](Line& line) {
    line.text("[\"g\",").integer(set).text(",").integer(id);
    for (const double value : values) line.text(",").number(value);
    line.text("]");
  });
}

void ProfileWriter::launched(std::span<const std::uint64_t> launches, std::int64_t elapsed_ns,
                             std::int64_t counting_ns) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"launched\":");
    line.list(launches, [&](std::uint64_t count) { line.integer(count); });
    line.text(",\"elapsed_ns\":").integer(elapsed_ns);
    line.text(",\"counting_ns\":").integer(counting_ns).text("}");
  });
}

void ProfileWriter::sampling(int device, std::span<const std::string> metrics,
                             std::int64_t interval_ns) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"sampling\":{\"device\":").integer(device);
    line.text(",\"metrics\":").texts(metrics);
    line.text(",\"interval_ns\":").integer(interval_ns).text("}}");
  });
}

void ProfileWriter::sample(std::int64_t start_ns, std::int64_t end_ns,
                           std::span<const double> values) noexcept {
  lines_.write([&](Line& line) {
    line.text("[\"s\",").integer(start_ns).text(",").integer(end_ns);
    for (const double value : values) line.text(",").number(value);
    line.text("]");
  });
}

void ProfileWriter::sampling_window(std::int64_t ns) noexcept {
  lines_.write([&](Line& line) { line.text("{\"sampling_window_ns\":").integer(ns).text("}"); });
}

void ProfileWriter::gpm(const record::GpmShares& shares) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"gpm\":");
    line.list(record::gpm_figures, [&](const record::GpmFigure& figure) {
      line.number((shares.*figure).value_or(std::numeric_limits<double>::quiet_NaN()));
    });
    line.text("}");
  });
}

void ProfileWriter::warning(std::string_view text, std::string_view hint) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"warning\":").quoted(text).text(",\"hint\":").quoted(hint).text("}");
  });
}

void ProfileWriter::lost(std::string_view what, std::int64_t count) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"lost\":").quoted(what).text(",\"count\":").integer(count).text("}");
  });
}

void ProfileWriter::end(std::string_view how, std::int64_t kernels) noexcept {
  lines_.write([&](Line& line) {
    line.text("{\"end\":").quoted(how).text(",\"kernels\":").integer(kernels).text("}");
  });
  flush();
}

}  // namespace rooflab::profile
