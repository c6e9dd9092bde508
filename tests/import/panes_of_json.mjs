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
// To the picosecond: seconds are not exact.
const ns = (time_s) => Math.round(time_s * 1e12) / 1000;
const us = (time_s) => rounded(ns(time_s) / 1000, 0);
const number_of = (device) => device === "cpu" ? -1 : Number(device.replace("cuda:", ""));
const percent = (share) => share === null ? "-" : rounded(100 * share, 2);
const share = (part, whole) => whole > 0 ? rounded(100 * part / whole, 2) : "-";

for (const rule of ["plugin", "ours"]) {
  const { trace_steps: steps, mean_step, overlap, devices, operators, unattributed_s } = panes[rule];
  print(`${rule}.steps.count`, steps.length);
  print(`${rule}.steps.dropped`, panes[rule].dropped_steps);
  steps.forEach((step, n) => {
    print(`${rule}.step.${n}.name`, step.name);
    print(`${rule}.step.${n}.total_us`, us(step.total_s));
    for (const [role, time_s] of Object.entries(step.roles_s)) {
      print(`${rule}.step.${n}.${role}_us`, us(time_s));
    }
  });
  print(`${rule}.mean.total_us`, us(mean_step.total_s));
  for (const [role, time_s] of Object.entries(mean_step.roles_s)) {
    print(`${rule}.mean.${role}_us`, us(time_s));
    print(`${rule}.mean.${role}_pct`, share(time_s, mean_step.total_s));
  }
  for (const [name, key] of [["computation_only", "computation_only_s"], ["overlap", "hidden_s"],
                             ["communication_only", "communication_only_s"], ["other", "other_s"]]) {
    print(`${rule}.overlap.${name}_us`, Math.trunc(ns(overlap[key]) / 1000));
  }
  for (const use of devices) {
    const key = `${rule}.device.${number_of(use.device)}`;
    print(`${key}.kernels`, use.kernels);
    print(`${key}.utilization_pct`, percent(use.busy_share));
    print(`${key}.sm_efficiency_pct`, percent(use.sm_efficiency_share));
    print(`${key}.sm_efficiency_busy_pct`, percent(use.sm_efficiency_busy_share));
    print(`${key}.occupancy_pct`, percent(use.occupancy_share));
    print(`${key}.tensor_core_pct`, percent(use.tensor_core_share));
  }
  print(`${rule}.operators.count`, operators.length);
  print(`${rule}.operators.unattributed_us`, us(unattributed_s));
  operators.forEach((row, n) => {
    const key = `${rule}.operator.${n}`;
    print(`${key}.name`, row.name);
    print(`${key}.calls`, row.calls);
    print(`${key}.host_total_us`, us(row.host_total_s));
    print(`${key}.host_self_us`, us(row.host_self_s));
    print(`${key}.device_total_us`, us(row.device_total_s));
    print(`${key}.device_self_us`, us(row.device_self_s));
  });
}

const { kernels } = panes;
print("kernels.names", kernels.rows.length);
print("kernels.calls", kernels.rows.reduce((sum, row) => sum + row.calls, 0));
print("kernels.total_us", us(kernels.total_s));
print("kernels.plugin.tensor_core_pct", percent(kernels.plugin_tensor_core_share));
print("kernels.ours.tensor_core_pct", percent(kernels.tensor_core_share));
kernels.rows.forEach((row, n) => {
  const key = `kernel.${n}`;
  print(`${key}.name`, row.name);
  print(`${key}.calls`, row.calls);
  print(`${key}.total_us`, us(row.total_s));
  print(`${key}.mean_us`, us(row.mean_s));
  print(`${key}.max_us`, us(row.longest_s));
  print(`${key}.min_us`, us(row.shortest_s));
  print(`${key}.share_pct`, percent(row.share));
  print(`${key}.plugin_blocks_per_sm`, rounded(row.plugin_blocks_per_sm, 2));
  print(`${key}.plugin_occupancy_pct`, rounded(100 * row.plugin_occupancy_share, 2));
  print(`${key}.plugin_tensor_cores`, row.plugin_tensor_cores);
  print(`${key}.tensor_cores`, row.tensor_cores);
});
for (const curve of panes.memory) {
  print(`memory.${number_of(curve.device)}.events`, curve.changes);
  print(`memory.${number_of(curve.device)}.peak_allocated_bytes`, curve.allocated_peak_bytes ?? "-");
  print(`memory.${number_of(curve.device)}.peak_reserved_bytes`, curve.reserved_peak_bytes ?? "-");
}
process.stdout.write(lines.join("\n") + "\n");
