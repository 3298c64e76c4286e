/** The page about users, in a real browser. */
// test-tier: long
import type { Browser, Page } from 'playwright-core';
import { type ChildServer, needs, type RespClient, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answered, openBrowser, openView, shoot, visit } from './browser.ts';

const pages = suite('debug page of users');

const HOSTILE = '<img/src=x/onerror=alert(1)>\u202eb';
const RULES = [
  'on',
  '>secret',
  '-@all',
  '+@read',
  '+set',
  '-keys',
  '~a*',
  '%R~b',
  '&news',
  '(+del ~tmp)',
];

let server: ChildServer;
let admin: RespClient;
let anna: RespClient;
let browser: Browser;

const table = (page: Page) => page.getByRole('table', { name: 'Users', exact: true });

if (needs('chromium')) {
  pages.before(async () => {
    [server, browser] = await Promise.all([startServer({ http: true, shards: 2 }), openBrowser()]);
    admin = await server.client();
    await admin.call('ACL', 'SETUSER', 'anna', ...RULES, 'ratelimit:cps=50');
    await admin.call('ACL', 'SETUSER', HOSTILE, `~${HOSTILE}`);
    anna = await server.client();
    await anna.call('AUTH', 'anna', 'secret');
    await anna.reply('GET', '<b>');
    await anna.reply('FLUSHALL');
    await (await server.client()).reply('AUTH', 'anna', 'wrong');
    for (let nth = 0; nth < 60; nth += 1) await anna.reply('GET', 'a');
  });
  pages.after(async () => {
    await browser.close();
    await server.stop();
  });

  for (const [width, theme] of [
    [1440, 'light'],
    [1440, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const) {
    pages(`shows rules in words, clients and denials, at ${width} pixels, ${theme}`, async () => {
      const { page, complaints } = await openView(browser, { width, theme });
      await visit(page, server.httpPort, 'users');
      await page.getByRole('heading', { name: '3 of 3 users' }).waitFor();
      await table(page).getByRole('button', { name: 'anna' }).click();
      for (const words of [
        'May log in with its password.',
        'Commands: none; then with @read, set; then without keys.',
        'Keys: reads b; reads and writes a*.',
        'Channels: news.',
        'Or, by selector 1: Commands: none; then with del.',
        'At most 50 commands per second, all connections together.',
      ]) {
        await page.getByText(words, { exact: true }).waitFor();
      }
      assert.match((await page.getByLabel('Rules').textContent()) ?? '', /#\(hidden\)/);
      const denials = page.getByRole('table', { name: 'Denials', exact: true });
      for (const object of ['<b>', 'flushall', 'AUTH']) {
        await denials.getByText(object, { exact: true }).waitFor();
      }
      await shoot(page, `users-${width}-${theme}`);
      const sideways =
        'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.is(await page.evaluate(sideways), 0);
      assert.is(await page.locator('main img').count(), 0);
      await page.keyboard.press('Escape');
      await page.getByLabel('Rules').waitFor({ state: 'detached' });
      assert.equal(complaints, []);
      await page.close();
    });
  }

  pages('tells what a user does per second, and leads to its clients', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'users');
    await answered(page);
    const row = table(page).getByRole('row').filter({ hasText: 'default' });
    await row
      .getByRole('cell', { name: /^0(\.0)?\/s$|^0$/ })
      .first()
      .waitFor();
    await table(page).getByRole('button', { name: 'anna' }).click();
    await page.getByRole('link', { name: '1 client' }).click();
    await page.getByRole('heading', { name: 'Clients', level: 1 }).waitFor();
    assert.is(await page.getByRole('searchbox').inputValue(), 'anna');
    await page.getByRole('heading', { name: '1 of 3 clients' }).waitFor();
    await page.close();
  });
}

pages.run();
