/** The page about replication, in a real browser. */
// test-tier: long
import type { Browser } from 'playwright-core';
import { type ChildServer, needs, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { untilLinked, untilOnline } from '../replication/info.test-helper.ts';
import { AT_ONCE } from '../replication/replicas.test-helper.ts';
import { answered, openBrowser, openView, shoot, visit } from './browser.ts';

const pages = suite('debug page of replication');

let primary: ChildServer;
let replica: ChildServer;
let browser: Browser;

if (needs('chromium')) {
  pages.before(async () => {
    [primary, replica, browser] = await Promise.all([
      startServer({ http: true, shards: 2, args: AT_ONCE }),
      startServer({ http: true, args: AT_ONCE }),
      openBrowser(),
    ]);
    const writer = await primary.client();
    const reader = await replica.client();
    await reader.call('REPLICAOF', '127.0.0.1', primary.port);
    await untilLinked(reader);
    await untilOnline(writer, 1);
    for (let nth = 0; nth < 20; nth += 1) await writer.call('SET', `key:${nth}`, 'x'.repeat(1_000));
  });
  pages.after(async () => {
    await browser.close();
    await replica.stop();
    await primary.stop();
  });

  for (const [width, theme] of [
    [1440, 'light'],
    [390, 'dark'],
  ] as const) {
    pages(`shows the primary and its replicas, at ${width} pixels, ${theme}`, async () => {
      const { page, complaints } = await openView(browser, { width, theme });
      await visit(page, primary.httpPort, 'replication');
      await answered(page);
      const replicas = page.getByRole('table', { name: 'Replicas', exact: true });
      await replicas.getByText('online').waitFor();
      await page
        .getByRole('table', { name: 'Changes of links' })
        .getByText('wait_bgsave')
        .waitFor();
      await page
        .getByRole('table', { name: 'Synchronisations' })
        .getByText('full: first')
        .waitFor();
      await page.getByRole('img', { name: /Time behind\. slowest replica: now \d/ }).waitFor();
      await shoot(page, `replication-primary-${width}-${theme}`);
      assert.equal(complaints, []);
      await page.close();
    });

    pages(`shows a replica and its link, at ${width} pixels, ${theme}`, async () => {
      const { page, complaints } = await openView(browser, { width, theme });
      await visit(page, replica.httpPort, 'replication');
      await answered(page);
      await page.getByRole('heading', { name: 'Link to the primary' }).waitFor();
      await page.getByText('Reason: the full sync is loaded.').waitFor();
      await page.getByText('No replicas connected.').waitFor();
      await page.getByRole('img', { name: /behind the primary: now \d/ }).waitFor();
      await shoot(page, `replication-replica-${width}-${theme}`);
      assert.equal(complaints, []);
      await page.close();
    });
  }
}

pages.run();
