/** Layout of the debug pages on wide screens, and announcements of screen readers. */
// test-tier: long
import type { Browser } from 'playwright-core';
import { type ChildServer, needs, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBrowser, openView, PAGES, shoot, visit } from './browser.ts';

const layout = suite('layout of the debug pages');

/** Texts that their boxes cut off, and what fields say of themselves and do not show. */
const CUT = `(() => {
  const pen = document.createElement('canvas').getContext('2d');
  const texts = [...document.querySelectorAll('dt, dd, small, th, h2, h3, button, .badge, .identity')]
    .filter((box) => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== 'visible')
    .map((box) => box.textContent);
  const fields = [...document.querySelectorAll('input[placeholder]')].filter((field) => {
    const style = getComputedStyle(field);
    pen.font = style.font;
    const room = field.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
    return pen.measureText(field.placeholder).width > room;
  });
  return [...texts, ...fields.map((field) => field.placeholder)];
})()`;

/** Pixels between the charts and the right edge of the panel that they are in. */
const UNUSED = `(() => {
  const panel = document.querySelector('.panel.charts');
  if (panel === null) return Infinity;
  const ends = [...panel.querySelectorAll('figure')].map((chart) => chart.getBoundingClientRect().right);
  return panel.getBoundingClientRect().right - Math.max(...ends);
})()`;

let server: ChildServer;
let browser: Browser;

if (needs('chromium')) {
  layout.before(async () => {
    const args = ['--set', 'latency-bands.enabled=true', '--set', 'slowlog.log-slower-than=0'];
    [server, browser] = await Promise.all([startServer({ http: true, args }), openBrowser()]);
    const client = await server.client();
    await client.pipeline(Array.from({ length: 50 }, (_, nth) => ['SET', `key:${nth}`, 'v']));
  });
  layout.after(async () => {
    await browser.close();
    await server.stop();
  });

  for (const width of [1440, 1920]) {
    layout(`no label is cut off at ${width} pixels, and charts take all the room`, async () => {
      const { page } = await openView(browser, { width });
      for (const name of PAGES) {
        await visit(page, server.httpPort, name);
        await page.locator('.panel[data-freshness="fresh"]').first().waitFor();
        assert.equal(await page.evaluate(CUT), [], name);
        await shoot(page, `${name}-${width}`);
        if (!['overview', 'performance', 'shards'].includes(name)) continue;
        // The charts come one after the other, as what they draw does.
        await until(
          async () => Math.abs(await page.evaluate<number>(UNUSED)) < 30,
          `charts of ${name} take all the room`,
        );
      }
      await page.close();
    });
  }

  layout('what is read out has no running clock in it', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'bundles');
    await page.getByText('No bundles stored.').waitFor();
    await page.evaluate(`(() => {
      window.said = new Set();
      new MutationObserver(() => {
        for (const place of document.querySelectorAll('[role=status], [role=alert], [aria-live]')) {
          window.said.add(place.textContent.trim());
        }
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    })()`);
    await page.getByRole('button', { name: 'Generate and download' }).click();
    await page.getByText(/generated and downloaded\.$/).waitFor();
    const said = await page.evaluate<string[]>('[...window.said]');
    assert.ok(said.includes('Collecting from all threads…'), said.join('; '));
    assert.equal(
      said.filter((text) => /\d s\b|\d+m \d+s/.test(text)),
      [],
    );
    await page.close();
  });
}

layout.run();
