// What no text of a page may become, whatever files the page was made of.

import assert from 'node:assert/strict';

export async function check_no_markup(page) {
  assert.equal(await page.evaluate(`document.querySelectorAll('img, iframe, object').length`), 0);
  assert.equal(await page.evaluate(`[...document.querySelectorAll('*')].filter((each) =>
      [...each.attributes].some((attribute) => /^on/i.test(attribute.name))).length`), 0);
  assert.equal(await page.evaluate(`[...document.querySelectorAll('a')]
      .filter((each) => /^javascript:/i.test(each.getAttribute('href') ??
                                             each.getAttribute('xlink:href') ?? '')).length`), 0);
}
