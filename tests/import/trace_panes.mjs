// The panes of a PyTorch profiler trace, derived a second time: for tests that compare them with
// what the program prints. Written from the formulae in docs/methods/traces.md, not from the C++,
// and in another way: time is cut at every event's start and end, and each piece is asked what goes
// on in it, where the program adds and subtracts sorted intervals.
//
//     node trace_panes.mjs trace.pt.trace.json[.gz]
//
// One line a figure, `key value`. Times are whole microseconds (a half to the even one, as Python's
// round()), shares are percent with two decimals, `-` is what the trace does not tell. A name is the
// rest of its line. Small traces only: it holds everything and is in no hurry.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

// ---- reading: exact nanoseconds, which a double of absolute microseconds does not hold

function readTrace(path) {
  const bytes = readFileSync(path);
  const zipped = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const text = (zipped ? gunzipSync(bytes) : bytes).toString("utf8");
  return JSON.parse(text.replace(/"(ts|dur)"\s*:\s*(-?[0-9]+(?:\.[0-9]+)?)(?=\s*[,}\]])/g,
                                 '"$1":"$2"'));
}

function nanoseconds(text) {
  const [, sign, whole, fraction = ""] = /^(-?)([0-9]+)(?:\.([0-9]+))?$/.exec(text);
  const digits = (fraction + "0000").slice(0, 4);
  const value = (BigInt(whole) * 10000n + BigInt(digits) + 5n) / 10n;
  return sign ? -value : value;
}

const kindOf = {
  cpu_op: "op", operator: "op", user_annotation: "annotation",
  gpu_user_annotation: "device_annotation", cuda_runtime: "runtime", runtime: "runtime",
  cuda_driver: "driver", kernel: "kernel", gpu_memcpy: "memcpy", memcpy: "memcpy",
  gpu_memset: "memset", memset: "memset",
};

function readEvents(trace) {
  const events = [];
  let zero = null;
  for (const raw of trace.traceEvents) {
    const kind = raw.ph === "X" ? kindOf[String(raw.cat).toLowerCase()]
      : raw.ph === "i" && raw.name === "[memory]" ? "memory" : undefined;
    if (kind === undefined || raw.ts === undefined) continue;
    const at = nanoseconds(String(raw.ts));
    const length = nanoseconds(String(raw.dur ?? "0"));
    if (zero === null || at < zero) zero = at;
    const args = raw.args ?? {};
    events.push({
      kind, name: raw.name, thread: `${raw.pid}/${raw.tid}`, at, length, args,
      external: args["External id"] ?? args["external id"] ?? 0,
      correlation: args.correlation ?? 0,
      shapes: args["Input Dims"] ?? args["Input dims"],
    });
  }
  for (const event of events) {
    event.start = Number(event.at - zero);
    event.end = Number(event.at + event.length - zero);
    event.time = event.end - event.start;
  }
  // A kernel without an op's number takes that of the call that launched it.
  const opOfCall = new Map(events.filter((e) => ["runtime", "driver"].includes(e.kind) && e.external)
    .map((e) => [e.correlation, e.external]));
  for (const e of events) {
    if (e.kind === "kernel") e.external ||= opOfCall.get(e.correlation) ?? 0;
  }
  return events.sort((a, b) => a.start - b.start);  // stable: equal ones as in the file
}

// ---- what names say

const five = ["broadcast", "reduce", "all_reduce", "all_gather", "reduce_scatter"];
const pluginCollectives = new Set([...five.map((n) => `nccl:${n}`), ...five.map((n) => `gloo:${n}`)]);
const isStep = (e) => e.name.startsWith("ProfilerStep#");
const isLoader = (e) => /^enumerate\(DataLoader\)#.*\.__next__$/s.test(e.name) ||
  e.name.startsWith("enumerate(DataPipe)#");
const isCollectiveKernel = (e) => /^nccl[A-Za-z]*Kernel|ncclKernel_/.test(e.name);
const isWork = (e) => e.kind === "kernel" || e.kind === "memcpy" || e.kind === "memset";
const pluginTensor = new RegExp(["h884", "s884", "h1688", "s1688", "hmma", "i8816", "16816",
  "dgrad_1x1_stride_2x2", "first_layer_wgrad_kernel", "conv1x1", "conv2d_c1_k1", "direct_group",
  "xmma_implicit_gemm", "xmma_sparse_conv", "xmma_warp_specialized_implicit_gemm", "xmma_gemm",
  "xmma_sparse_gemm", "c1688"].join("|"));
const moreTensor = /nvjet|tensorop|MmaTensorOp|gmma|warpgroupsize|tensor16x8|tcgen05|utc[hqi]?mma|imma|dmma|qmma|flash|fmha/;
const usesTensorCores = {
  plugin: (name) => pluginTensor.test(name),
  ours: (name) => (pluginTensor.test(name) || moreTensor.test(name)) &&
    !/ffma|simt|sgemm_largek/.test(name),
};

// ---- steps

function launches(events, rule) {
  const calls = new Map();
  for (const e of events) {
    const counts = e.kind === "runtime" || (e.kind === "driver" && rule === "ours");
    if (!counts || !e.correlation) continue;
    if (!calls.has(e.correlation)) calls.set(e.correlation, []);
    calls.get(e.correlation).push(e);
  }
  const callOf = new Map();
  for (const e of events.filter(isWork)) {
    const candidates = calls.get(e.correlation);
    if (!candidates) continue;
    callOf.set(e, candidates.filter((c) => c.start <= e.start).at(-1) ?? candidates[0]);
  }
  return callOf;
}

function stepWindows(events, rule, callOf) {
  const host = rule === "plugin" ? ["op", "annotation", "device_annotation"] : ["op", "annotation"];
  let steps = events.filter((e) => host.includes(e.kind) && isStep(e))
    .map((e) => ({ name: e.name.split("#")[1], from: e.start, to: e.end }));
  if (steps.length === 0) {
    let all = events.filter((e) => rule === "plugin" ? e.kind === "op"
      : ["op", "annotation", "runtime", "driver"].includes(e.kind));
    if (all.length === 0 && rule === "ours") all = events.filter(isWork);
    if (all.length === 0) return { steps: [], dropped: 0 };
    steps = [{ name: "0", from: Math.min(...all.map((e) => e.start)),
               to: Math.max(...all.map((e) => e.end)) }];
  }
  for (const step of steps) step.work = [];
  const strays = [];
  for (const e of events.filter(isWork)) {
    const call = callOf.get(e);
    const step = call && steps.find((s) => call.start < s.to);
    if (step && call.start >= step.from && call.end <= step.to) step.work.push(e);
    else strays.push(e);
  }
  let dropped = 0;
  if (steps.some((s) => s.work.length > 0)) {
    let previous = steps[0].from;
    if (steps[0].work.length > 0) {
      const first = Math.min(...steps[0].work.map((e) => e.start));
      for (const e of strays) if (e.end < first) previous = Math.max(previous, e.end);
    }
    for (const step of steps) {
      step.start = Math.max(previous, step.from);
      step.end = Math.max(step.start, step.to, ...step.work.map((e) => e.end));
      previous = step.end;
    }
    const before = steps.length;
    if (before > 1) {
      while (steps.at(-1).work.length === 0) steps.pop();
      const [a, b] = steps.slice(-2);
      if (b && a.work.length * 0.8 > b.work.length) steps.pop();
    }
    dropped = before - steps.length;
  } else {
    for (const step of steps) [step.start, step.end] = [step.from, step.to];
  }
  return { steps, dropped };
}

// ---- time cut into pieces

class Pieces {
  constructor(cuts) {
    this.cuts = [...new Set(cuts)].sort((a, b) => a - b);
    this.index = new Map(this.cuts.map((t, i) => [t, i]));
    this.count = Math.max(this.cuts.length - 1, 0);
  }
  length(i) { return this.cuts[i + 1] - this.cuts[i]; }
  /// How much of `weight` runs in each piece, and how many events.
  cover(events, weight = () => 1) {
    const sums = new Float64Array(this.count);
    const running = new Int32Array(this.count);
    for (const e of events) {
      for (let i = this.index.get(e.start); this.cuts[i] < e.end; ++i) {
        sums[i] += weight(e);
        running[i] += 1;
      }
    }
    return { sums, running };
  }
  within(window, predicate, value = () => 1) {
    let sum = 0;
    for (let i = 0; i < this.count; ++i) {
      if (this.cuts[i] >= window.start && this.cuts[i + 1] <= window.end && predicate(i)) {
        sum += value(i) * this.length(i);
      }
    }
    return sum;
  }
}

const roles = ["kernel", "memcpy", "memset", "communication", "runtime", "data_loader", "cpu_op"];

function roleOf(e, rule, collectiveIds) {
  if (e.kind === "memcpy" || e.kind === "memset") return e.kind;
  if (e.kind === "kernel") {
    const communicates = rule === "plugin" ? collectiveIds.has(e.external) : isCollectiveKernel(e);
    return communicates ? "communication" : "kernel";
  }
  if (e.kind === "runtime") return "runtime";
  if (e.kind === "driver") return rule === "ours" ? "runtime" : null;
  if (e.kind === "memory" || (e.kind === "device_annotation" && rule === "ours")) return null;
  if (isLoader(e)) return "data_loader";
  if (isStep(e)) return null;
  const collective = rule === "plugin" ? pluginCollectives.has(e.name) : /^(gloo|mpi):/.test(e.name);
  return collective ? "communication" : "cpu_op";
}

// ---- operators: a real tree of objects, merged from the top as the plugin does

function operatorRows(events, rule, callOf) {
  const threads = new Map();
  for (const e of events) {
    const node = e.kind === "op" || (e.kind === "annotation" &&
      (isStep(e) || isLoader(e) || e.name.startsWith("Optimizer.step") ||
       pluginCollectives.has(e.name)));
    if (!node) continue;
    if (!threads.has(e.thread)) threads.set(e.thread, []);
    threads.get(e.thread).push({ e, children: [], calls: [] });
  }
  const byExternal = new Map();
  for (const nodes of threads.values()) {
    for (const n of nodes) {
      if (n.e.external && !byExternal.has(n.e.external)) byExternal.set(n.e.external, n);
    }
  }
  for (const e of events) {
    const counts = e.kind === "runtime" || (e.kind === "driver" && rule === "ours");
    if (counts && e.external) byExternal.get(e.external)?.calls.push({ call: e, work: [] });
  }
  const slots = new Map();
  for (const n of byExternal.values()) for (const c of n.calls) slots.set(c.call, c);
  let unattributed = 0;
  const placed = new Set();
  for (const e of events.filter(isWork)) {
    let slot = slots.get(callOf.get(e));
    if (!slot && rule === "ours" && byExternal.has(e.external)) {
      slot = { call: null, work: [] };
      byExternal.get(e.external).calls.push(slot);
    }
    slot?.work.push(e);
    unattributed += e.time;
  }

  const isOperator = (e) => e.kind === "op" && !isStep(e) && !isLoader(e) &&
    !e.name.startsWith("Optimizer.") &&
    !["DataParallel.forward", "DistributedDataParallel.forward"].includes(e.name);
  const merge = (n) => {
    while (n.children.length === 1 && n.e?.kind === "op" && !isStep(n.e) &&
           n.children[0].e.kind === "op" && n.children[0].e.name === n.e.name) {
      const child = n.children[0];
      n.calls = rule === "plugin" ? child.calls : [...n.calls, ...child.calls];
      n.children = child.children;
    }
    n.children.forEach(merge);
  };
  const rows = new Map();
  const visit = (n) => {
    let total = 0;
    for (const child of n.children) total += visit(child);
    const self = n.calls.flatMap((c) => c.work).reduce((sum, w) => sum + w.time, 0);
    if (n.e && isOperator(n.e)) {
      if (!rows.has(n.e.name)) {
        rows.set(n.e.name, { name: n.e.name, calls: 0, host: 0, hostSelf: 0, device: 0,
                             deviceSelf: 0 });
      }
      const row = rows.get(n.e.name);
      row.calls += 1;
      row.host += n.e.time;
      row.hostSelf += n.e.time - n.children.reduce((sum, c) => sum + c.e.time, 0);
      if (rule === "plugin") {
        for (const c of n.calls) if (c.call) row.hostSelf -= c.call.time;
      }
      row.device += total + self;
      row.deviceSelf += self;
      unattributed -= self;
      for (const c of n.calls) for (const w of c.work) placed.add(w);
    }
    return total + self;
  };
  for (const nodes of threads.values()) {
    nodes.sort((a, b) => a.e.start - b.e.start || b.e.end - a.e.end);
    const root = { e: null, children: [], calls: [] };
    const open = [root];
    for (const n of nodes) {
      const ended = (o) => o.e && n.e.start >= o.e.end;
      const crossed = (o) => o.e && n.e.end > o.e.end;
      while (ended(open.at(-1))) open.pop();
      if (crossed(open.at(-1)) && rule === "plugin") continue;
      while (crossed(open.at(-1))) open.pop();
      open.at(-1).children.push(n);
      open.push(n);
    }
    merge(root);
    visit(root);
  }
  const byText = (a, b) => (Buffer.from(a.name).compare(Buffer.from(b.name)));
  const onDevice = [...rows.values()].some((row) => row.deviceSelf > 0);
  const weight = (row) => onDevice ? row.deviceSelf : row.hostSelf;
  return {
    rows: [...rows.values()].sort((a, b) => weight(b) - weight(a) || byText(a, b)),
    unattributed, placed,
  };
}

// ---- printing

const lines = [];
const print = (key, value) => lines.push(`${key} ${value}`);
function halfToEven(x) {
  const floor = Math.floor(x);
  if (x - floor !== 0.5) return Math.round(x);
  return floor % 2 === 0 ? floor : floor + 1;
}
const us = (ns) => halfToEven(ns / 1000);
/// Two decimals, a half to the even digit: toFixed() rounds it up.
function twoDecimals(x) {
  const [whole, fraction] = x.toFixed(20).split(".");
  if (!/^..50*$/.test(fraction) || Number(fraction[1]) % 2 === 1) return x.toFixed(2);
  return `${whole}.${fraction.slice(0, 2)}`;
}
const share = (part, whole) => whole > 0 ? twoDecimals(100 * part / whole) : "-";
const mean = (values) => values.reduce((a, b) => a + b, 0) / Math.max(values.length, 1);

function printRule(events, rule, pieces) {
  const callOf = launches(events, rule);
  const { steps, dropped } = stepWindows(events, rule, callOf);
  print(`${rule}.steps.count`, steps.length);
  print(`${rule}.steps.dropped`, dropped);
  // The windows' edges are edges of events, so that no piece crosses one.
  const collectiveIds = new Set(events.filter((e) => !isWork(e) && pluginCollectives.has(e.name))
    .map((e) => e.external).filter((id) => id !== 0));
  const members = Object.fromEntries(roles.map((r) => [r, []]));
  for (const e of events) {
    const role = roleOf(e, rule, collectiveIds);
    if (role) members[role].push(e);
  }
  const on = {};
  for (const role of roles) on[role] = pieces.cover(members[role]).running;

  // The role of each piece. The plugin starts the assignment again when nothing is left in the steps.
  const inSteps = new Uint8Array(pieces.count);
  for (let i = 0; i < pieces.count; ++i) {
    inSteps[i] = steps.some((s) => pieces.cuts[i] >= s.start && pieces.cuts[i + 1] <= s.end);
  }
  let free = inSteps.slice();
  const owned = {};
  for (const role of roles) {
    const again = rule === "plugin" && !free.includes(1);
    if (again) free = inSteps.slice();
    owned[role] = new Uint8Array(pieces.count);
    for (let i = 0; i < pieces.count; ++i) {
      if (on[role][i] === 0 || !(free[i] || again)) continue;
      owned[role][i] = 1;
      free[i] = 0;
    }
  }
  owned.other = free;
  const all = [...roles, "other"];
  for (const step of steps) {
    step.costs = Object.fromEntries(all.map((r) => [r, pieces.within(step, (i) => owned[r][i])]));
    step.total = step.end - step.start;
  }
  steps.forEach((step, n) => {
    print(`${rule}.step.${n}.name`, step.name);
    print(`${rule}.step.${n}.total_us`, us(step.total));
    for (const role of all) print(`${rule}.step.${n}.${role}_us`, us(step.costs[role]));
  });
  const meanTotal = mean(steps.map((s) => s.total));
  print(`${rule}.mean.total_us`, us(meanTotal));
  for (const role of all) {
    const value = mean(steps.map((s) => s.costs[role]));
    print(`${rule}.mean.${role}_us`, us(value));
    print(`${rule}.mean.${role}_pct`, share(value, meanTotal));
  }

  // Overlap: int(), as the plugin prints it.
  const computing = members.kernel.length > 0 ? on.kernel : on.cpu_op;
  const parts = steps.map((step) => {
    const both = pieces.within(step, (i) => computing[i] && on.communication[i]);
    const k = pieces.within(step, (i) => computing[i]);
    const c = pieces.within(step, (i) => on.communication[i]);
    return [k - both, both, c - both, step.total + both - k - c];
  });
  ["computation_only", "overlap", "communication_only", "other"].forEach((name, p) => {
    print(`${rule}.overlap.${name}_us`, Math.trunc(mean(parts.map((x) => x[p])) / 1000));
  });

  const { rows, unattributed, placed } = operatorRows(events, rule, callOf);

  // Devices.
  const span = steps.length > 0 ? { start: steps[0].start, end: steps.at(-1).end }
    : { start: 0, end: 0 };
  const whole = span.end - span.start;
  const kernels = events.filter((e) => e.kind === "kernel");
  const number = (e, key) => typeof e.args[key] === "number" ? e.args[key] : null;
  for (const device of [...new Set(kernels.map((e) => e.args.device))].sort((a, b) => a - b)) {
    const own = kernels.filter((e) => e.args.device === device);
    const key = `${rule}.device.${device}`;
    const busy = pieces.cover(own).running;
    print(`${key}.kernels`, own.length);
    print(`${key}.utilization_pct`, share(pieces.within(span, (i) => busy[i]), whole));
    const sized = own.filter((e) => number(e, "blocks per SM") > 0);
    const blocks = pieces.cover(sized, (e) => number(e, "blocks per SM"));
    const covered = pieces.within(span, (i) => blocks.running[i],
                                  (i) => Math.min(1, blocks.sums[i]));
    const sizedTime = pieces.within(span, (i) => blocks.running[i]);
    print(`${key}.sm_efficiency_pct`, sizedTime > 0 ? share(covered, whole) : "-");
    print(`${key}.sm_efficiency_busy_pct`, share(covered, sizedTime));
    const inside = (e) => Math.max(0, Math.min(e.end, span.end) - Math.max(e.start, span.start));
    let occupied = 0;
    let occupiedTime = 0;
    for (const e of own) {
      const occupancy = number(e, "est. achieved occupancy %");
      if (occupancy === null || occupancy < 0) continue;
      if (occupancy === 0 && rule !== "plugin") continue;  // unknown
      occupied += occupancy / 100 * inside(e);
      occupiedTime += inside(e);
    }
    print(`${key}.occupancy_pct`, share(occupied, occupiedTime));
    const weigh = rule === "plugin" ? (e) => placed.has(e) ? e.time : 0 : inside;
    const tensor = own.filter((e) => usesTensorCores[rule](e.name));
    const sum = (list) => list.reduce((s, e) => s + weigh(e), 0);
    print(`${key}.tensor_core_pct`, share(sum(tensor), sum(own)));
  }

  print(`${rule}.operators.count`, rows.length);
  print(`${rule}.operators.unattributed_us`, us(unattributed));
  rows.forEach((row, n) => {
    const key = `${rule}.operator.${n}`;
    print(`${key}.name`, row.name);
    print(`${key}.calls`, row.calls);
    print(`${key}.host_total_us`, us(row.host));
    print(`${key}.host_self_us`, us(row.hostSelf));
    print(`${key}.device_total_us`, us(row.device));
    print(`${key}.device_self_us`, us(row.deviceSelf));
  });
}

function printKernels(events) {
  const kernels = events.filter((e) => e.kind === "kernel");
  const groups = Map.groupBy ? Map.groupBy(kernels, (e) => e.name) : kernels.reduce(
    (map, e) => map.set(e.name, [...(map.get(e.name) ?? []), e]), new Map());
  const time = (list) => list.reduce((sum, e) => sum + e.time, 0);
  const all = time(kernels);
  print("kernels.names", groups.size);
  print("kernels.calls", kernels.length);
  print("kernels.total_us", us(all));
  for (const rule of ["plugin", "ours"]) {
    const tensor = kernels.filter((e) => usesTensorCores[rule](e.name));
    print(`kernels.${rule}.tensor_core_pct`, share(time(tensor), all));
  }
  const weighted = (list, key) => {
    const total = time(list);
    const sum = list.reduce((s, e) => s + (typeof e.args[key] === "number" ? e.args[key] : 0) * e.time, 0);
    return twoDecimals(total > 0 ? sum / total : 0);
  };
  const sorted = [...groups].map(([name, list]) => ({ name, list, total: time(list) }))
    .sort((a, b) => b.total - a.total || Buffer.from(a.name).compare(Buffer.from(b.name)));
  sorted.forEach(({ name, list, total }, n) => {
    const key = `kernel.${n}`;
    const lengths = list.map((e) => e.time);
    print(`${key}.name`, name);
    print(`${key}.calls`, list.length);
    print(`${key}.total_us`, us(total));
    print(`${key}.mean_us`, us(total / list.length));
    print(`${key}.max_us`, us(Math.max(...lengths)));
    print(`${key}.min_us`, us(Math.min(...lengths)));
    print(`${key}.share_pct`, share(total, Math.max(all, 1)));
    print(`${key}.plugin_blocks_per_sm`, weighted(list, "blocks per SM"));
    print(`${key}.plugin_occupancy_pct`, weighted(list, "est. achieved occupancy %"));
    print(`${key}.plugin_tensor_cores`, usesTensorCores.plugin(name));
    print(`${key}.tensor_cores`, usesTensorCores.ours(name));
  });
}

function printMemory(events) {
  const memory = events.filter((e) => e.kind === "memory");
  const device = (e) => e.args["Device Type"] === 0 ? -1 : e.args["Device Id"];
  for (const id of [...new Set(memory.map(device))].sort((a, b) => a - b)) {
    const own = memory.filter((e) => device(e) === id);
    const peak = (key) => {
      const values = own.map((e) => e.args[key]).filter((v) => typeof v === "number" && v >= 0);
      return values.length > 0 ? Math.max(...values) : "-";
    };
    print(`memory.${id}.events`, own.length);
    print(`memory.${id}.peak_allocated_bytes`, peak("Total Allocated"));
    print(`memory.${id}.peak_reserved_bytes`, peak("Total Reserved"));
  }
}

const path = process.argv[2];
if (!path) {
  console.error("usage: node trace_panes.mjs trace.json[.gz]");
  process.exit(2);
}
const events = readEvents(readTrace(path));
const timed = events.filter((e) => e.kind !== "memory");
const pieces = new Pieces(timed.flatMap((e) => [e.start, e.end]));
printRule(timed, "plugin", pieces);
printRule(timed, "ours", pieces);
printKernels(timed);
printMemory(events);
process.stdout.write(lines.join("\n") + "\n");
