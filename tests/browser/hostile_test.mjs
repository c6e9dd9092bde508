// Pages of files whose names are those of tests/hostile/names.json: all that a page draws later is
// drawn, each point of a chart is pointed at, and then no script of a name has run, nothing was
// fetched, no element is there but those that Rooflab writes, and the names stand there as text.
//   node hostile_test.mjs CHROMIUM FOLDER NAMES.json

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Browser } from './chromium.mjs';
import { check_no_markup } from './markup.mjs';

const [executable, folder, list] = process.argv.slice(2);
const names = JSON.parse(readFileSync(list, 'utf8')).map((each) => each.name);

// What acts on a line or on the direction of writing is shown as a blank.
const acting = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const squeezed = (text) => text.replace(acting, ' ').replace(/\s+/g, ' ').trim();

const elements = new Set(`a article b body br button circle clippath code dd defs details div dl dt
    ellipse figcaption figure footer g h1 h2 h3 h4 head header hr html i input label li line
    lineargradient main meta nav noscript ol p path pattern pre rect script section small span stop strong
    style sub summary sup svg table tbody td template text tfoot th thead title tr tspan ul use
    `.split(/\s+/));

/// What Plotly's labels say, of every point of every chart.
const hover_everything = `(async () => {
  const said = [];
  for (const chart of document.querySelectorAll('.rooflab-chart')) {
    for (const [curveNumber, trace] of (chart.data ?? []).entries()) {
      for (let pointNumber = 0; pointNumber < (trace.x ?? []).length; ++pointNumber) {
        Plotly.Fx.hover(chart, [{ curveNumber, pointNumber }]);
        said.push(...[...chart.querySelectorAll('.hovertext')].map((each) => each.textContent));
      }
    }
  }
  return said;
})()`;

async function check(browser, file) {
  const page = await browser.open(pathToFileURL(file).href);
  // A details in a template is there when the one around it was opened.
  await page.until(`(() => {
    document.querySelectorAll('details').forEach((each) => { each.open = true; });
    return document.querySelector('details > template') === null;
  })()`, 'the details');
  await page.until(`[...document.querySelectorAll('.rooflab-chart')].every((each) =>
      each.querySelector('.nsewdrag'))`, 'the charts');
  const hovered = await page.evaluate(hover_everything);
  await check_no_markup(page);
  const tags = await page.evaluate(`[...new Set([...document.querySelectorAll('*')]
      .map((each) => each.localName.toLowerCase()))]`);
  assert.deepEqual(tags.filter((tag) => !elements.has(tag)), [], 'elements of Rooflab only');
  assert.equal(await page.evaluate(`typeof window.pwned`), 'undefined', 'no script of a name ran');
  assert.equal(await page.evaluate(`window.frames.length`), 0, 'no frame');
  assert.deepEqual(page.requests, [], 'nothing is fetched');
  assert.deepEqual(page.complaints, [], 'no console error');
  const text = squeezed(await page.evaluate(`document.body.textContent`));
  const missing = names.filter((name) => !text.includes(squeezed(name)));
  // Kernels' names are shortened, and a file's name has no slash.
  assert.ok(missing.length <= names.length / 2, `names are shown as they are, not: ${missing}`);
  return `${names.length - missing.length} of ${names.length} names as text, ` +
      `${hovered.length} labels of points`;
}

const browser = new Browser(executable);
let failed = 0;
try {
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.html'))) {
    try {
      console.log(`${file}: ${await check(browser, join(folder, file))}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED ${file}: ${error.message}`);
    }
  }
} finally {
  await browser.close();
}
process.exitCode = failed === 0 ? 0 : 1;
