/** The debug pages as viewers see them: everything is shown, nothing can be done, and the reason is said. */
// test-tier: long
import type { Browser, Page } from 'playwright-core';
import { type ChildServer, needs, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answered, openBrowser, openView, PAGES, shoot, visit } from './browser.ts';

const viewers = suite('debug pages of viewers');

const REASON = /^You are logged in with http\.viewer-token, which is read-only/;
/** Names of the buttons that act, by page. */
const ACTIONS: readonly (readonly [place: string, action: RegExp])[] = [
  ['live', /^Start$/],
  ['hot-keys', /^Start$/],
  ['performance', /^(Clear|Reset)$/],
  ['key-fates', /^(Clear|Record the last .*)$/],
  ['clients', /^Kill /],
  ['persistence', /^Snapshot now$/],
  ['configuration', /^Change /],
  ['traces', /^Start tracing$/],
  ['bundles', /^Generate and download$/],
];

let server: ChildServer;
let browser: Browser;

async function logIn(page: Page, token: string): Promise<void> {
  await page.goto(`http://127.0.0.1:${server.httpPort}/debug/`);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}

if (needs('chromium')) {
  viewers.before(async () => {
    const args = ['http.token=all', 'http.viewer-token=view', 'slowlog.log-slower-than=0'];
    [server, browser] = await Promise.all([
      startServer({ http: true, shards: 1, args: args.flatMap((each) => ['--set', each]) }),
      openBrowser(),
    ]);
    const client = await server.client();
    await client.call('SET', 'key', 'value');
  });
  viewers.after(async () => {
    await browser.close();
    await server.stop();
  });

  viewers('every page is there, without a complaint', async () => {
    const { page, complaints } = await openView(browser);
    await logIn(page, 'view');
    await page.locator('header.top').getByText('read only').waitFor();
    // The form of the log-in has no icon.
    complaints.length = 0;
    for (const name of PAGES) {
      await visit(page, server.httpPort, name);
      await answered(page);
    }
    assert.equal(complaints, []);
    await page.close();
  });

  for (const [place, action] of ACTIONS) {
    viewers(`nothing can be done on the page ${place}, and it says why`, async () => {
      const { page } = await openView(browser);
      await logIn(page, 'view');
      await visit(page, server.httpPort, place);
      await answered(page);
      const buttons = page.getByRole('button', { name: action });
      await buttons.first().waitFor();
      const all = await buttons.all();
      for (const button of all) {
        assert.ok(await button.isDisabled());
        assert.match((await button.getAttribute('title')) ?? '', REASON);
      }
      if (['bundles', 'live'].includes(place)) await page.getByText(REASON).waitFor();
      await shoot(page, `viewer-${place}`);
      await page.close();
    });
  }

  viewers('who has the token can do it', async () => {
    const { page } = await openView(browser);
    await logIn(page, 'all');
    await visit(page, server.httpPort, 'hot-keys');
    const start = page.getByRole('button', { name: 'Start' });
    await start.waitFor();
    await until(() => start.isEnabled(), 'it can be pressed');
    assert.is(await page.getByText('read only').count(), 0);
    await page.close();
  });
}

viewers.run();
