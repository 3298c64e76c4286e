/** Logging in to the debug pages, its end, and two servers beside each other. */
// test-tier: long
import type { Browser, Page } from 'playwright-core';
import { type ChildServer, needs, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBrowser, openView, shoot, visit } from './browser.ts';

const sessions = suite('sessions of the debug pages');

const TOKEN = 'a-token-of-the-test';

let servers: readonly ChildServer[];
let browser: Browser;

async function logIn(page: Page): Promise<void> {
  await page.getByLabel('Token').fill(TOKEN);
  await page.getByRole('button', { name: 'Log in' }).click();
}

if (needs('chromium')) {
  sessions.before(async () => {
    const args = ['--set', `http.token=${TOKEN}`];
    const start = () => startServer({ http: true, shards: 1, args });
    const [one, other, opened] = await Promise.all([start(), start(), openBrowser()]);
    servers = [one, other];
    browser = opened;
  });
  sessions.after(async () => {
    await browser.close();
    await Promise.all(servers.map((server) => server.stop()));
  });

  sessions('servers on one host do not log each other out', async () => {
    const { page } = await openView(browser);
    for (const { httpPort } of servers) {
      await page.goto(`http://127.0.0.1:${httpPort}/debug/`);
      await logIn(page);
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    }
    for (const { httpPort } of servers) {
      await visit(page, httpPort, 'overview');
      await page.getByText('healthy').waitFor();
    }
    await page.close();
  });

  sessions('a link to a page leads there by way of the log-in, also of a wrong one', async () => {
    const { page } = await openView(browser);
    await page.goto(`http://127.0.0.1:${servers[0]!.httpPort}/debug/#/shards`);
    await page.getByLabel('Token').fill('wrong');
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('This is not the token.').waitFor();
    await logIn(page);
    await page.getByRole('heading', { name: 'Shards', level: 1 }).waitFor();
    await page.close();
  });

  sessions('a session that has ended is told, and the page is found again', async () => {
    const { page } = await openView(browser);
    await page.goto(`http://127.0.0.1:${servers[0]!.httpPort}/debug/`);
    await logIn(page);
    await visit(page, servers[0]!.httpPort, 'configuration');
    await page.getByRole('searchbox').fill('slowlog');
    await page.getByRole('cell', { name: 'slowlog.max-len', exact: true }).waitFor();
    await page.context().clearCookies();
    await page.getByText(/^Your session has ended\. The data shown is as of/).waitFor();
    await page.locator('.panel[data-freshness="forbidden"]').waitFor();
    // What was there still is, and what was typed too.
    assert.is(await page.getByRole('searchbox').inputValue(), 'slowlog');
    assert.is(await page.getByText('healthy').count(), 0);
    await shoot(page, 'state-session-ended');
    await page.getByRole('link', { name: 'Log in to return to this page' }).click();
    await page.getByText(/^Your session has ended/).waitFor();
    await logIn(page);
    await page.getByRole('heading', { name: 'Configuration', level: 1 }).waitFor();
    await page.getByRole('cell', { name: 'slowlog.max-len', exact: true }).waitFor();
    await page.close();
  });

  sessions('who has logged in can log out', async () => {
    const { page } = await openView(browser);
    const start = `http://127.0.0.1:${servers[0]!.httpPort}/debug/`;
    await page.goto(start);
    await logIn(page);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
    await page.goto(start);
    await page.getByLabel('Token').waitFor();
    await page.close();
  });
}

sessions.run();
