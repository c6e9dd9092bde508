// The panes in the JSON of `rooflab import`, in the lines of trace_panes.mjs.
//
//     node panes_of_json.mjs import.json

import { readFileSync } from "node:fs";

const panes = JSON.parse(readFileSync(process.argv[2], "utf8")).panes;
const lines = [];
const print = (key, value) => lines.push(`${key} ${value}`);

// A half goes to the even digit, as in Python's round() and format().
function rounded(x, digits) {
  const scale = 10 ** digits;
  const floor = Math.floor(x * scale);
  const rest = x * scale - floor;
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
  return ((floor + (up ? 1 : 0)) / scale).toFixed(digits);
}
const us = (ns) => rounded(ns / 1000, 0);
const percent = (share) => share === null ? "-" : rounded(100 * share, 2);
const share = (part, whole) => whole > 0 ? rounded(100 * part / whole, 2) : "-";

for (const rule of ["plugin", "ours"]) {
  const { steps, overlap, devices, operators, unattributed_ns } = panes[rule];
  print(`${rule}.steps.count`, steps.list.length);
  print(`${rule}.steps.dropped`, steps.dropped);
  steps.list.forEach((step, n) => {
    print(`${rule}.step.${n}.name`, step.name);
    print(`${rule}.step.${n}.total_us`, us(step.total_ns));
    for (const [role, ns] of Object.entries(step.roles_ns)) {
      print(`${rule}.step.${n}.${role}_us`, us(ns));
    }
  });
  print(`${rule}.mean.total_us`, us(steps.mean_total_ns));
  for (const [role, ns] of Object.entries(steps.mean_roles_ns)) {
    print(`${rule}.mean.${role}_us`, us(ns));
    print(`${rule}.mean.${role}_pct`, share(ns, steps.mean_total_ns));
  }
  for (const name of ["computation_only", "overlap", "communication_only", "other"]) {
    print(`${rule}.overlap.${name}_us`, Math.trunc(overlap[`${name}_ns`] / 1000));
  }
  for (const use of devices) {
    const key = `${rule}.device.${use.device}`;
    print(`${key}.kernels`, use.kernels);
    print(`${key}.utilization_pct`, percent(use.utilization));
    print(`${key}.sm_efficiency_pct`, percent(use.sm_efficiency));
    print(`${key}.sm_efficiency_busy_pct`, percent(use.sm_efficiency_busy));
    print(`${key}.occupancy_pct`, percent(use.occupancy));
    print(`${key}.tensor_core_pct`, percent(use.tensor_core_share));
  }
  print(`${rule}.operators.count`, operators.length);
  print(`${rule}.operators.unattributed_us`, us(unattributed_ns));
  operators.forEach((row, n) => {
    const key = `${rule}.operator.${n}`;
    print(`${key}.name`, row.name);
    print(`${key}.calls`, row.calls);
    print(`${key}.host_total_us`, us(row.host_total_ns));
    print(`${key}.host_self_us`, us(row.host_self_ns));
    print(`${key}.device_total_us`, us(row.device_total_ns));
    print(`${key}.device_self_us`, us(row.device_self_ns));
  });
}

const { kernels } = panes;
print("kernels.names", kernels.list.length);
print("kernels.calls", kernels.list.reduce((sum, row) => sum + row.calls, 0));
print("kernels.total_us", us(kernels.total_ns));
print("kernels.plugin.tensor_core_pct", percent(kernels.plugin_tensor_core_share));
print("kernels.ours.tensor_core_pct", percent(kernels.tensor_core_share));
kernels.list.forEach((row, n) => {
  const key = `kernel.${n}`;
  print(`${key}.name`, row.name);
  print(`${key}.calls`, row.calls);
  print(`${key}.total_us`, us(row.total_ns));
  print(`${key}.mean_us`, us(row.mean_ns));
  print(`${key}.max_us`, us(row.max_ns));
  print(`${key}.min_us`, us(row.min_ns));
  print(`${key}.share_pct`, percent(row.share));
  print(`${key}.plugin_blocks_per_sm`, rounded(row.plugin_blocks_per_sm, 2));
  print(`${key}.plugin_occupancy_pct`, rounded(100 * row.plugin_occupancy, 2));
  print(`${key}.plugin_tensor_cores`, row.plugin_tensor_cores);
  print(`${key}.tensor_cores`, row.tensor_cores);
});
for (const curve of panes.memory) {
  print(`memory.${curve.device}.events`, curve.events);
  print(`memory.${curve.device}.peak_allocated_bytes`, curve.peak_allocated_bytes ?? "-");
  print(`memory.${curve.device}.peak_reserved_bytes`, curve.peak_reserved_bytes ?? "-");
}
process.stdout.write(lines.join("\n") + "\n");
