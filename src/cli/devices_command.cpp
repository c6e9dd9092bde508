#include <memory>

#include "commands.hpp"
#include "device_options.hpp"
#include "output_options.hpp"
#include "rooflab/report/device_report.hpp"

namespace rooflab::cli {
namespace {

struct DevicesCommand {
  std::string name;
  DeviceOptions devices;
  OutputOptions output;

  void run(Session& session) const {
    const device::Catalog catalog = devices.catalog();
    output.write(name.empty() ? report::device_list_report(catalog.devices())
                              : report::device_report(catalog.find(name)),
                 session.console);
  }
};

}  // namespace

void add_devices_command(CLI::App& program, Session& session) {
  CLI::App* app =
      program.add_subcommand("devices", "list the devices, or one with every figure's source");
  const auto command = std::make_shared<DevicesCommand>();
  app->add_option("name", command->name, "one device")->type_name("NAME");
  command->devices.add_folder_to(*app);
  command->output.add_to(*app);
  app->callback([command, &session] { command->run(session); });
}

}  // namespace rooflab::cli
