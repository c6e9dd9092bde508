// The HTML report as a reader meets it: the file alone, no network. Checks the comparison table and,
// for every chart, that Plotly drew as many points as the report promises (data-points), that hover
// shows a label and that dragging zooms; nothing may be fetched or complained about.
//   node report_test.mjs CHROMIUM REPORT.html CASES

import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import { Browser } from './chromium.mjs';

const [executable, report, cases] = process.argv.slice(2);
const points = (id) => `[...document.querySelectorAll('#${id} .scatterlayer .points path.point')]
    .filter((each) => each.getBoundingClientRect().width > 0)`;

async function check_table(page) {
  const rows = await page.evaluate(`document.querySelectorAll('#comparison tbody tr').length`);
  assert.equal(rows, Number(cases), 'rows of the comparison table');
}

async function check_hover(page, id) {
  const { x, y } = await page.evaluate(`(() => {
    document.getElementById('${id}').scrollIntoView({ block: 'center' });
    const box = ${points(id)}[0].getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  })()`);
  await page.mouse('mouseMoved', x - 40, y - 40);
  await page.mouse('mouseMoved', x, y);
  await page.until(`document.querySelector('#${id} .hoverlayer .hovertext') !== null`,
                   `a label over the first point of ${id}`);
}

async function check_zoom(page, id) {
  const range = `document.getElementById('${id}').layout.xaxis.range.join(' ')`;
  const before = await page.evaluate(range);
  const box = await page.evaluate(`(() => {
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

const browser = new Browser(executable);
try {
  const page = await browser.open(pathToFileURL(report).href);
  await check_table(page);
  const charts = await page.evaluate(`[...document.querySelectorAll('.rooflab-chart')]
      .map((each) => ({ id: each.id, points: Number(each.dataset.points) }))`);
  assert.ok(charts.length >= 1, 'the report has a chart');
  for (const { id, points: promised } of charts) {
    assert.ok(promised > 0, `${id} promises points`);
    await page.until(`${points(id)}.length > 0`, `points in ${id}`);
    assert.equal(await page.evaluate(`${points(id)}.length`), promised, `points drawn in ${id}`);
    await check_hover(page, id);
    await check_zoom(page, id);
    console.log(`${id}: ${promised} points, hover and zoom work`);
  }
  assert.deepEqual(page.requests, [], 'the report fetches nothing');
  assert.deepEqual(page.complaints, [], 'no console error');
} finally {
  await browser.close();
}
