/** The page of the history, in a real browser: charts, bands, marks, events, zoom and comparison by the address. */
// test-tier: long
import type { Browser, Page } from 'playwright-core';
import { type ChildServer, needs, request, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answered, openBrowser, openView, shoot, visit } from './browser.ts';

const pages = suite('debug page of the history');

let server: ChildServer;
let browser: Browser;

interface PastDocument {
  readonly series: readonly { readonly values: readonly (number | null)[] }[];
}

async function known(series: string): Promise<number[]> {
  const answer = await request(server.httpPort, `/debug/api/history?series=${series}`);
  return (answer.json() as PastDocument).series[0]!.values.filter((value) => value !== null);
}

const hash = (page: Page): string => new URL(page.url()).hash;

if (needs('chromium')) {
  pages.before(async () => {
    [server, browser] = await Promise.all([startServer({ http: true, shards: 2 }), openBrowser()]);
    const client = await server.client();
    await client.pipeline(Array.from({ length: 2_000 }, (_, nth) => ['SET', `key:${nth}`, 'v']));
    await client.call('BGSAVE');
    await client.call('DEBUG', 'MAIN-SLEEP', 2);
    await until(async () => (await known('ops')).length >= 5, 'five samples');
    await until(
      async () => (await known('health')).includes(2),
      'the stuck main is in the history',
    );
    await until(
      async () =>
        (await request(server.httpPort, '/debug/api/events')).text.includes('main-resumed'),
      'the event of its end',
    );
  });
  pages.after(async () => {
    await browser.close();
    await server.stop();
  });

  for (const [width, theme] of [
    [1440, 'light'],
    [390, 'dark'],
  ] as const) {
    pages(`shows charts, bands and events, at ${width} pixels, ${theme}`, async () => {
      const { page, complaints } = await openView(browser, { width, theme });
      await visit(page, server.httpPort, 'history');
      await answered(page);
      await page.getByRole('img', { name: /^Operations per second\. ops: now/ }).waitFor();
      await page.getByRole('img', { name: /^Busy threads\. main: now \d/ }).waitFor();
      await page.getByRole('img', { name: /unhealthy from/ }).waitFor();
      const events = page.getByRole('table', { name: 'Events' });
      await events.getByText('main-stuck').waitFor();
      await events.getByText('started', { exact: true }).waitFor();
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      assert.ok(wide <= 0, `${wide} pixels too wide`);
      await shoot(page, `history-${width}-${theme}`);
      assert.equal(complaints, []);
      await page.close();
    });
  }

  pages('keeps range, zoom, comparison and filters in the address', async () => {
    const { page, complaints } = await openView(browser, { width: 1440 });
    await visit(page, server.httpPort, 'history');
    await answered(page);
    await page.getByRole('button', { name: '1 h', exact: true }).click();
    await until(() => hash(page) === '#/history?range=3600', 'the range is in the address');
    await page.getByLabel('Compare with').selectOption('an hour before');
    await page
      .getByRole('img', { name: /an hour before: no data yet/ })
      .first()
      .waitFor();
    await page.getByLabel('Kind').selectOption('snapshot');
    const events = page.getByRole('table', { name: 'Events' });
    await events.getByText('main-stuck').waitFor({ state: 'detached' });
    await events.getByText('snapshot', { exact: true }).first().waitFor();
    assert.is(hash(page), '#/history?range=3600&compare=3600&kind=snapshot');
    await page.reload();
    await answered(page);
    assert.is(await page.getByLabel('Kind').inputValue(), 'snapshot');
    assert.is(await page.getByRole('button', { name: '1 h' }).getAttribute('aria-pressed'), 'true');

    const over = page.locator('.chart .u-over').first();
    const box = (await over.boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.5, box.y + 30);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, box.y + 30, { steps: 5 });
    await page.mouse.up();
    await until(() => /range=(8|9)\d\d&to=\d+/.test(hash(page)), 'a quarter of the hour is shown');
    await page.goBack();
    await until(() => hash(page).startsWith('#/history?range=3600&compare'), 'back shows the hour');
    await page.getByRole('button', { name: 'Earlier' }).click();
    await until(() => hash(page).includes('&to='), 'an earlier time');
    await page.getByRole('button', { name: 'Now' }).click();
    await until(() => !hash(page).includes('&to='), 'the present again');
    assert.equal(complaints, []);
    await page.close();
  });

  pages('shows the charts around an event', async () => {
    const { page, complaints } = await openView(browser, { width: 1280 });
    await visit(page, server.httpPort, 'history');
    await answered(page);
    const row = page.getByRole('row').filter({ hasText: 'main-stuck' });
    await row.getByRole('button').click();
    await until(() => hash(page).startsWith('#/history?range=300&to='), 'five minutes around it');
    assert.equal(complaints, []);
    await page.close();
  });
}

pages.run();
