/** The page of settings, in a real browser: sections, preview, undo. */
// test-tier: long
import type { Browser } from 'playwright-core';
import { type ChildServer, needs, type RespClient, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBrowser, openView, shoot, visit } from '../browser.ts';

const pages = suite('debug page of settings');

const NAME = 'slowlog.max-len';

let server: ChildServer;
let client: RespClient;
let browser: Browser;

const current = (): Promise<unknown> => client.call('CONFIG', 'GET', 'slowlog-max-len');

if (needs('chromium')) {
  pages.before(async () => {
    [server, browser] = await Promise.all([startServer({ http: true, shards: 1 }), openBrowser()]);
    client = await server.client();
  });
  pages.after(async () => {
    await browser.close();
    await server.stop();
  });

  for (const [width, theme] of [
    [1280, 'light'],
    [1280, 'dark'],
    [320, 'light'],
    [390, 'dark'],
  ] as const) {
    pages(`previews, makes and undoes a change, ${width} pixels, ${theme}`, async () => {
      const { page, complaints } = await openView(browser, { width, theme });
      await visit(page, server.httpPort, 'configuration');
      await page.getByRole('combobox', { name: 'Section' }).selectOption('slowlog');
      await page.getByRole('heading', { name: /^3 of \d+ settings$/ }).waitFor();
      const row = page.getByRole('row').filter({ hasText: 'slowlog.log-slower-than' });
      await row.getByText('microseconds', { exact: true }).waitFor();
      await page.getByRole('button', { name: `Change ${NAME}` }).click();
      const field = page.getByRole('textbox', { name: `New value of ${NAME}` });
      await page.getByText(/^an integer from 0/).waitFor();
      const preview = page.getByRole('button', { name: 'Preview' });
      await field.fill('many');
      await preview.click();
      await page.getByText(/^Refused: /).waitFor();
      await field.fill('128');
      await preview.click();
      await page.getByText('No change.').waitFor();
      await field.fill('7');
      await preview.click();
      await page.getByText('128 → 7').waitFor();
      assert.equal(await current(), ['slowlog-max-len', '128'], 'a preview changes nothing');
      await field.press('Enter');
      await page.getByText(`${NAME} changed until`).waitFor();
      await page.getByRole('row').filter({ hasText: NAME }).getByText('CONFIG SET').waitFor();
      await shoot(page, `settings-${width}-${theme}`);
      const sideways =
        'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.is(await page.evaluate(sideways), 0);
      assert.equal(await current(), ['slowlog-max-len', '7']);
      await page.getByRole('button', { name: `Undo the change of ${NAME}` }).click();
      await page.getByText(`${NAME} set back to 128.`).waitFor();
      assert.equal(await current(), ['slowlog-max-len', '128']);
      assert.is(await page.getByRole('button', { name: /^Undo/ }).count(), 0);
      // The browser itself reports each refusal.
      assert.equal(
        complaints.filter((text) => !/status of 409/.test(text)),
        [],
      );
      await page.close();
    });
  }

  pages('several changes of one setting are undone to its first value', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, `configuration?filter=${NAME}`);
    for (const value of ['9', '10']) {
      await page.getByRole('button', { name: `Change ${NAME}` }).click();
      await page.getByRole('textbox', { name: `New value of ${NAME}` }).fill(value);
      await page.getByRole('button', { name: 'Set', exact: true }).click();
      await page
        .getByRole('list', { name: 'Changes made on this page' })
        .getByText(value)
        .waitFor();
    }
    await page.getByRole('button', { name: `Undo the change of ${NAME}` }).click();
    await page.getByText(`${NAME} set back to 128.`).waitFor();
    await page.close();
  });
}

pages.run();
