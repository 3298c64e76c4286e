/** Every debug page in both themes, on a wide and on a narrow screen, with hostile names in what it shows. */
// test-tier: long
import type { Browser, Page } from 'playwright-core';
import { type ChildServer, needs, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answered, openBrowser, openView, PAGES, shoot, visit } from './browser.ts';

const themes = suite('themes of the debug pages');

const HOSTILE = '<img/src=x/onerror=alert(1)>';

let server: ChildServer;
let browser: Browser;

if (needs('chromium')) {
  themes.before(async () => {
    const args = ['--set', 'slowlog.log-slower-than=0', '--set', 'latency-bands.enabled=true'];
    [server, browser] = await Promise.all([startServer({ http: true, args }), openBrowser()]);
    const client = await server.client();
    await client.call('CLIENT', 'SETNAME', HOSTILE);
    await client.pipeline(Array.from({ length: 50 }, (_, nth) => ['SET', `<b>${nth}</b>`, 'v']));
  });
  themes.after(async () => {
    await browser.close();
    await server.stop();
  });

  for (const theme of ['light', 'dark'] as const) {
    for (const width of [1280, 320]) {
      themes(`${theme} at ${width} pixels is shown without a complaint`, async () => {
        const { page, complaints } = await openView(browser, { theme, width });
        for (const name of PAGES) {
          await visit(page, server.httpPort, name);
          await answered(page);
          assert.is(await page.evaluate('document.documentElement.dataset.theme'), theme);
          assert.is(await sidewaysPixels(page), 0, `${name} scrolls sideways`);
          await shoot(page, `${name}-${theme}-${width}`);
        }
        assert.equal(complaints, []);
        await page.close();
      });
    }
  }
}

function sidewaysPixels(page: Page): Promise<unknown> {
  return page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
}

themes.run();
