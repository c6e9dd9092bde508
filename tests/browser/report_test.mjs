// The HTML pages as a reader meets them: the file alone, no network. Checks on every page, for every
// chart, that Plotly drew as many points as the page promises (data-points), that hover shows a label
// and that dragging zooms; that no text became markup, that no window is scrolled sideways and that
// the charts' ink follows light and dark; nothing may be fetched or complained about. Then what is a
// page's own: the prediction's tables, the measured page's bars, the report's kinds of points.
//   node report_test.mjs CHROMIUM FOLDER     with predict.html, monitor.html, report.html and, where
//                                            the build has a worker, measure.html and roofline.html

import assert from 'node:assert/strict';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser } from './chromium.mjs';
import { check_no_markup } from './markup.mjs';

const [executable, folder] = process.argv.slice(2);
const pictures = Boolean(process.env.ROOFLAB_PICTURES);  // for people: half of the time
const points = (id) => `[...document.querySelectorAll('#${id} .scatterlayer .points path.point')]
    .filter((each) => each.getBoundingClientRect().width > 0)`;
const hostile = '<img src=x onerror=alert(1)>';

// ---- charts

async function check_hover(page, id, wanted = undefined) {
  const places = await page.evaluate(`(() => {
    document.getElementById('${id}').scrollIntoView({ block: 'center' });
    return ${points(id)}.slice(0, 8).map((each) => each.getBoundingClientRect())
        .map((box) => ({ x: box.x + box.width / 2, y: box.y + box.height / 2 }));
  })()`);
  const text = `document.querySelector('#${id} .hoverlayer .hovertext')?.textContent ?? ''`;
  const seen = [];
  for (const { x, y } of wanted ? places : places.slice(0, 1)) {
    await page.mouse('mouseMoved', x - 40, y - 40);
    await page.mouse('mouseMoved', x, y);
    await page.until(`(${text}) !== ''`, `a label over a point of ${id}`);
    seen.push(await page.evaluate(text));
    if (!wanted || seen.at(-1).includes(wanted)) return;
  }
  assert.fail(`no hover text of ${id} has ${wanted}: ${JSON.stringify(seen)}`);
}

async function check_zoom(page, id) {
  const range = `document.getElementById('${id}').layout.xaxis.range.join(' ')`;
  const before = await page.evaluate(range);
  const box = await page.evaluate(`(() => {
    document.getElementById('${id}').scrollIntoView({ block: 'center' });
    const { x, y, width, height } =
        document.querySelector('#${id} .nsewdrag').getBoundingClientRect();
    return { x, y, width, height };
  })()`);
  const at = (share) => [box.x + box.width * share, box.y + box.height * share];
  await page.mouse('mouseMoved', ...at(0.3));
  await page.mouse('mousePressed', ...at(0.3), true);
  await page.mouse('mouseMoved', ...at(0.5), true);
  await page.mouse('mouseMoved', ...at(0.6), true);
  await page.mouse('mouseReleased', ...at(0.6), true);
  await page.until(`${range} !== ${JSON.stringify(before)}`, `${id} to zoom after a drag`);
}

/// Lines without markers promise points that are not shapes: their charts are only zoomed.
async function check_charts(page) {
  const charts = await page.evaluate(`[...document.querySelectorAll('.rooflab-chart')]
      .map((each) => ({ id: each.id, points: Number(each.dataset.points) }))`);
  assert.ok(charts.length >= 1, 'the page has a chart');
  for (const { id, points: promised } of charts) {
    assert.ok(promised > 0, `${id} promises points`);
    await page.until(`document.querySelector('#${id} .nsewdrag') !== null`, `${id} to be drawn`);
    const marked = await page.evaluate(`document.getElementById('${id}').data
        .some((trace) => trace.mode.includes('markers'))`);
    if (marked) {
      await page.until(`${points(id)}.length > 0`, `points in ${id}`);
      assert.equal(await page.evaluate(`${points(id)}.length`), promised, `points drawn in ${id}`);
      await check_hover(page, id);
    }
    await check_zoom(page, id);
  }
  return charts.length;
}

// ---- tables

/// Texts of a column's visible cells.
const column = (table, index) => `[...document.querySelectorAll('${table} tbody tr')]
    .filter((row) => !row.hidden).map((row) => row.cells[${index}].textContent)`;
const visible = (table) => `[...document.querySelectorAll('${table} tbody tr')]
    .filter((row) => !row.hidden).length`;

async function filter(page, table, word) {
  await page.evaluate(`(() => {
    const input = document.querySelector('input[data-filters="${table.slice(1)}"]');
    input.value = ${JSON.stringify(word)};
    input.dispatchEvent(new Event('input'));
  })()`);
}

/// Presses Enter on a column's title, as a reader without a mouse does.
async function press_title(page, table, index) {
  await page.evaluate(`document.querySelectorAll('${table} th button')[${index}].focus()`);
  for (const type of ['keyDown', 'keyUp']) {
    await page.send('Input.dispatchKeyEvent', {
      type, key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r',
    });
  }
}

const title_index = (page, table, title) => page.evaluate(
    `[...document.querySelectorAll('${table} th')].findIndex((each) =>
         each.textContent.split(', ')[0] === ${JSON.stringify(title)})`);

/// Figures by their value, not by their text: `4.911 ms` lies before `1.2 s`; missing ones last.
async function check_sorting(page, table, title) {
  const index = await title_index(page, table, title);
  assert.ok(index >= 0, `${table} has a column '${title}'`);
  const figures = `[...document.querySelectorAll('${table} tbody tr')]
      .map((row) => row.cells[${index}].dataset.raw ??
          row.cells[${index}].textContent.replaceAll(',', '').replace(/ %$/, ''))
      .map((raw) => raw === '' ? null : Number(raw))`;
  const sorted = (all, order) => [...all.filter((each) => each !== null).sort(order),
                                  ...all.filter((each) => each === null)];
  await press_title(page, table, index);
  const rising = await page.evaluate(figures);
  assert.ok(new Set(rising).size > 2 && !rising.some(Number.isNaN), `figures of ${title}`);
  assert.deepEqual(rising, sorted(rising, (a, b) => a - b), `${table} by rising ${title}`);
  await press_title(page, table, index);
  const falling = await page.evaluate(figures);
  assert.deepEqual(falling, sorted(rising, (a, b) => b - a), `${table} by falling ${title}`);
  assert.equal(await page.evaluate(
      `document.querySelectorAll('${table} th')[${index}].getAttribute('aria-sort')`), 'descending');
}

/// What is behind lines is drawn when they are opened.
async function open_all(page) {
  const closed = await page.evaluate(`document.querySelectorAll('details > template').length`);
  assert.ok(closed > 0, 'details are not drawn before');
  await page.evaluate(`document.querySelectorAll('details').forEach((each) => { each.open = true; })`);
  await page.until(`document.querySelector('details > template') === null`, 'the details');
}

/// densenet121 has more rows than a table shows at first.
async function check_long_table(page) {
  await open_all(page);
  const table = '#' + await page.evaluate(`document.querySelector('table[data-first]').id`);
  await page.evaluate(`document.querySelector('${table}').closest('details').open = true`);
  const all = await page.evaluate(`document.querySelectorAll('${table} tbody tr').length`);
  assert.ok(all > 400, 'rows of densenet121');
  assert.equal(await page.evaluate(visible(table)), 200, 'rows at first');
  const last = await page.evaluate(
      `[...document.querySelectorAll('${table} tbody tr')].at(-1).cells[0].textContent`);
  await filter(page, table, last.toUpperCase());
  const found = await page.evaluate(column(table, 0));
  assert.ok(found.includes(last), 'the filter searches rows that were hidden');
  assert.ok(found.length < 20, 'and hides the others');
  await filter(page, table, 'no such layer');
  assert.equal(await page.evaluate(visible(table)), 0);
  assert.equal(await page.evaluate(`document.querySelector('[data-counts="${table.slice(1)}"]')
      .textContent`), `0 rows of ${all}`);
  await filter(page, table, '');
  assert.equal(await page.evaluate(visible(table)), 200);
  await check_sorting(page, table, 'FLOP');
  assert.equal(await page.evaluate(visible(table)), 200, 'the first rows of the new order');
  const button = `document.querySelector('button[data-shows="${table.slice(1)}"]')`;
  assert.equal(await page.evaluate(`${button}.textContent`), `show all ${all} rows`);
  await page.evaluate(`${button}.click()`);
  assert.equal(await page.evaluate(visible(table)), all, 'rows after the button');
  assert.equal(await page.evaluate(`${button}.hidden`), true);
}

// ---- pages

/// No text of a file is markup: nothing but what Rooflab and Plotly themselves put there.
async function check_contents(page) {
  const broken = await page.evaluate(`[...document.querySelectorAll('nav a')]
      .map((each) => each.getAttribute('href'))
      .filter((target) => document.querySelector(target)?.tagName !== 'SECTION')`);
  assert.deepEqual(broken, [], 'every entry of the contents has its section');
}

/// Charts follow the width of the window.
async function charts_settle(page) {
  await page.until(`[...document.querySelectorAll('.rooflab-chart')].every((each) => {
    const room = each.parentElement.clientWidth;
    return each.layout && each.layout.width <= Math.max(280, room) &&
        each.layout.width >= Math.min(room, 1200) - 20;  // a bar for scrolling comes and goes
  })`, 'charts as wide as their place');
}

async function check_windows(page, name) {
  const ink = `getComputedStyle(document.querySelector('.rooflab-chart .xtitle')).fill`;
  const inks = new Set();
  for (const scheme of ['light', 'dark']) {
    for (const width of [1400, 420]) {
      await page.view(width, scheme);
      const paper = await page.evaluate(`getComputedStyle(document.body).color`);
      await page.until(`${ink} === ${JSON.stringify(paper)}`, `the charts' ink in ${scheme}`);
      await charts_settle(page);
      inks.add(paper);
      const over = await page.evaluate(
          `document.documentElement.scrollWidth - document.documentElement.clientWidth`);
      assert.ok(over <= 0, `${name} is ${over} px wider than a window of ${width} px`);
      if (pictures) {
        writeFileSync(join(folder, `${name}-${width}-${scheme}.png`), await page.picture());
      }
    }
  }
  assert.equal(inks.size, 2, 'light and dark differ');
  await page.view(1280, 'light');
  await charts_settle(page);
}

/// On paper nothing scrolls: every column and chart ends within the page, and bars stay on one scale.
async function check_print(page, name) {
  await page.print(true);
  const over = await page.evaluate(`[...document.querySelectorAll('table, .rooflab-chart, .bar-row')]
      .filter((each) => each.getBoundingClientRect().width > 0 &&
                        each.getBoundingClientRect().right > document.body.clientWidth + 1)
      .map((each) => each.id || each.className)`);
  assert.deepEqual(over, [], `${name}: cut by the edge of the paper`);
  const wide = await page.evaluate(`[...document.querySelectorAll('.wide')]
      .filter((each) => each.getBoundingClientRect().width > 0).length`);
  assert.equal(wide, 0, `${name}: columns that a terminal leaves out are left out`);
  await page.print(false);
  await charts_settle(page);
  const tracks = new Set(await page.evaluate(
      `[...document.querySelectorAll('.track')].map((each) => each.getBoundingClientRect().width)`));
  assert.ok(tracks.size <= 1, `${name}: bars have one scale: ${[...tracks]}`);
}

async function check_first_screen(page, plot) {
  assert.ok(await page.evaluate(`(() => {
    const seen = (each) => each && each.getBoundingClientRect().bottom <= innerHeight;
    return [...document.querySelectorAll('.answer'), document.querySelector('${plot}')].every(seen);
  })()`), `the first screen holds the answer and ${plot}`);
}

async function check_predict(page) {
  const table = '#' + await page.evaluate(
      `document.querySelector('#section-comparison table').id`);
  assert.equal(await page.evaluate(visible(table)), 6, 'rows of the comparison table');
  await check_first_screen(page, '.dots');
  assert.equal(await page.evaluate(`document.querySelectorAll('.dot-row:not(.axis)').length`), 6);
  await page.view(1400, 'light');
  assert.ok(await page.evaluate(`(() => {
    const box = document.querySelector('${table}').closest('.scroll').getBoundingClientRect();
    const head = [...document.querySelectorAll('${table} th')].find((each) =>
        each.textContent === 'verdict').getBoundingClientRect();
    return head.width > 0 && head.right <= box.right;
  })()`), 'the verdict is visible at 1400 px');
  const shown = `[...document.querySelectorAll('${table} th')]
      .filter((each) => each.getBoundingClientRect().width > 0).length`;
  const few = await page.evaluate(shown);
  await page.evaluate(`document.querySelector('button[data-widens="${table.slice(1)}"]').click()`);
  assert.ok(await page.evaluate(shown) > few, 'the button shows all columns');
  await page.evaluate(`document.querySelector('button[data-widens="${table.slice(1)}"]').click()`);
  assert.equal(await page.evaluate(shown), few);
  assert.ok(await page.evaluate(`[...document.querySelectorAll('${table} th')]
      .every((each) => each.title !== '')`), 'every head says what it is');
  await check_sorting(page, table, 'limit');
  await check_keyboard(page);
  await check_long_table(page);
}

/// Two networks, one with the names of hostile_names.onnx: bars, and points of two kinds.
async function check_measure(page) {
  await check_first_screen(page, '.dots');
  await open_all(page);
  const bars = await page.evaluate(`[...document.querySelectorAll('.bar')].map((bar) => ({
      label: bar.getAttribute('aria-label'), width: bar.getBoundingClientRect().width,
      parts: [...bar.children].map((part) => part.getBoundingClientRect().width) }))`);
  assert.deepEqual(bars.map(({ label }) => / (predicted|measured),/.exec(label)?.[1]),
                   ['predicted', 'measured', 'predicted', 'measured'], 'predicted above measured');
  assert.equal(await page.evaluate(`document.querySelectorAll('.spreads .points').length`), 2,
               'a strip of steps a case');
  for (const { label, width, parts } of bars) {
    const shares = [...label.matchAll(/: ([0-9.]+) % \(/g)].map((each) => Number(each[1]));
    assert.equal(shares.length, parts.length, label);
    parts.forEach((part, i) => {
      assert.ok(Math.abs(part / width * 100 - shares[i]) < 0.6, `${label}: part ${i} is ${part} px`);
    });
  }
  assert.ok(bars.some(({ label }) => label.includes(hostile)), 'the network by its name');
  const names = await page.evaluate(`[...document.querySelectorAll('td')].map((each) =>
      each.textContent)`);
  assert.ok(names.some((name) => name.includes('<script>alert(1)')), 'a layer by its name');
  const roofline = await page.evaluate(
      `document.querySelector('#section-rooflines .rooflab-chart').id`);
  const kinds = await page.evaluate(`document.getElementById('${roofline}').data
      .filter((trace) => trace.mode === 'markers' && trace.x[0] !== null)
      .map((trace) => [trace.name.endsWith(', measured'), trace.marker.symbol])`);
  const modelled = kinds.filter(([measured]) => !measured).map(([, symbol]) => symbol);
  const timed = kinds.filter(([measured]) => measured).map(([, symbol]) => symbol);
  assert.ok(modelled.length > 0 && timed.length > 0, 'points of both kinds');
  assert.ok(!modelled.some((symbol) => timed.includes(symbol)), 'no shape of both kinds');
}

/// Without a mouse: the key opens a line, and what is behind it is drawn.
async function check_keyboard(page) {
  await page.evaluate(`document.querySelector('#section-layers summary').focus()`);
  for (const type of ['keyDown', 'keyUp']) {
    await page.send('Input.dispatchKeyEvent', {
      type, key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, text: '\r',
    });
  }
  await page.until(`document.querySelector('#section-layers details tbody tr') !== null`,
                   'a table behind a line that a key opened');
}

/// Four networks on all devices: what a reader does not open costs nothing.
async function check_many(page, file) {
  const bytes = statSync(file).size;
  assert.ok(bytes < 4e6, `the page of all devices has ${bytes} bytes`);
  const [nodes, load] = await page.evaluate(`[document.querySelectorAll('*').length,
      performance.getEntriesByType('navigation')[0].loadEventEnd]`);
  assert.ok(nodes < 20000, `${nodes} nodes`);
  console.log(`many.html: ${(bytes / 1e6).toFixed(1)} MB, ${nodes} nodes, loaded in ${load.toFixed(0)} ms`);
  await page.evaluate(`document.querySelector('#section-layers > details').open = true`);
  await page.until(`document.querySelector('#section-layers > details > details') !== null`,
                   'the lines behind a line');
  await page.evaluate(`document.querySelector('#section-layers > details > details').open = true`);
  await page.until(`document.querySelector('#section-layers tbody tr') !== null`, 'its table');
  const [layer] = await page.evaluate(column('#section-layers table', 0));
  assert.equal(layer, 'conv1', 'the first layer of resnet18');
}

async function check_roofline(page) {
  await check_hover(page, 'chart-1', '<script>alert(1)');
}

async function check_monitor(page) {
  await check_first_screen(page, '.answer');
  for (const element of ['h1', '.gtitle']) {
    assert.ok((await page.evaluate(`document.querySelector('${element}').textContent`))
                  .includes(hostile), `the command's name in ${element}`);
  }
}

/// A prediction, counters and, with a worker, measured layers below one device's roofs.
async function check_report(page) {
  await check_first_screen(page, '.dots');
  await open_all(page);
  const results = '#' + await page.evaluate(`document.querySelector('#section-results table').id`);
  const kinds = await page.evaluate(column(results, 0));
  for (const kind of ['predicted', 'counters', 'trace, a step']) {
    assert.ok(kinds.includes(kind), `a result of the kind ${kind}`);
  }
  const kernels = '#' + await page.evaluate(`[...document.querySelectorAll('table')].find((each) =>
      each.querySelector('th').textContent === 'kernel').id`);
  assert.ok((await page.evaluate(column(kernels, 0))).some((name) => name.includes(hostile)),
            'a kernel by its name');
  await check_sorting(page, kernels, 'launches');
  await filter(page, kernels, 'onerror=alert');
  assert.equal(await page.evaluate(visible(kernels)), 1, 'the kernel by the filter');
  await filter(page, kernels, '');
  const shapes = await page.evaluate(`(() => {
    const shapes = { limit: [], predicted: [], measured: [], counted: [] };
    for (const chart of document.querySelectorAll('#section-rooflines .rooflab-chart')) {
      for (const trace of chart.data.filter((each) => each.mode === 'markers' && each.x[0] !== null)) {
        shapes[trace.name.split(', ').at(-1)].push(trace.marker.symbol);
      }
    }
    return shapes;
  })()`);
  assert.ok(shapes.limit.length > 0 && shapes.counted.length > 0, 'modelled and counted points');
  assert.ok(shapes.predicted.length > 0, 'predicted points');
  if (kinds.includes('measured')) assert.ok(shapes.measured.length > 0, 'measured points');
  const all = Object.values(shapes).map((list) => new Set(list));
  assert.equal(new Set(all.flatMap((set) => [...set])).size,
               all.reduce((sum, set) => sum + set.size, 0), 'no shape of two kinds');
  const sources = await page.evaluate(`document.querySelector('#section-command-lines').textContent`);
  assert.ok(sources.includes('rooflab import counters.csv'), 'the command line behind the counters');
}

const own_checks = {
  predict: check_predict, measure: check_measure, roofline: check_roofline, monitor: check_monitor,
  report: check_report,
};
const browser = new Browser(executable);
try {
  const many = join(folder, 'many.html');
  await check_many(await browser.open(pathToFileURL(many).href), many);
  for (const [name, own_check] of Object.entries(own_checks)) {
    const file = join(folder, `${name}.html`);
    if (!existsSync(file)) {
      console.log(`${name}.html: not made, not checked`);
      continue;
    }
    const page = await browser.open(pathToFileURL(file).href);
    await page.until(`document.querySelector('.rooflab-chart .xtitle') !== null`, 'a chart');
    await own_check(page);
    await check_no_markup(page);
    await check_contents(page);
    await check_windows(page, name);
    await check_print(page, name);
    const charts = await check_charts(page);
    assert.deepEqual(page.requests, [], `${name}.html fetches nothing`);
    assert.deepEqual(page.complaints, [], `${name}.html: no console error`);
    console.log(`${name}.html: ${charts} charts, tables, texts and windows as they should be`);
  }
} finally {
  await browser.close();
}
