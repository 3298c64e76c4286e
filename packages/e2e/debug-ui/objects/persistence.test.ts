/** The page about persistence, in a real browser. */
// test-tier: long
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser } from 'playwright-core';
import type { PersistenceDocument } from '#api-types';
import { type ChildServer, needs, request, type RespClient, startServer, until } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBrowser, openView, shoot, visit } from '../browser.ts';

const pages = suite('debug page of persistence');

let server: ChildServer;
let client: RespClient;
let browser: Browser;
let folder: string;

async function persistence(of = server): Promise<PersistenceDocument> {
  return (await request(of.httpPort, '/debug/api/persistence')).json() as PersistenceDocument;
}

if (needs('chromium')) {
  pages.before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'svc-persistence-page-'));
    const args = ['persistence.enabled=true', `persistence.data-dir=${folder}`];
    args.push('persistence.durability-mode=sync');
    [server, browser] = await Promise.all([
      startServer({ http: true, shards: 2, args: args.flatMap((each) => ['--set', each]) }),
      openBrowser(),
    ]);
    client = await server.client();
    await client.pipeline(Array.from({ length: 20 }, (_, nth) => ['SET', `key:${nth}`, 'v']));
  });
  pages.after(async () => {
    await browser.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  pages('the document has the times of syncs, of each log and of all', async () => {
    const document = await persistence();
    assert.equal([document.enabled, document.durability_mode], [true, 'sync']);
    assert.ok(document.sync.syncs > 0);
    assert.is(
      document.logs.reduce((sum, { syncs }) => sum + syncs, 0),
      document.sync.syncs,
    );
    assert.ok(document.sync.p50_us > 0 && document.sync.p50_us <= document.sync.max_us);
    assert.ok(document.disk!.free_bytes > 0);
    assert.is(document.disk!.folder, folder);
    assert.equal(document.outcomes!.failures, []);
  });

  for (const [width, theme] of [
    [1280, 'light'],
    [1280, 'dark'],
    [320, 'dark'],
    [390, 'light'],
  ] as const) {
    pages(`takes a snapshot, ${width} pixels, ${theme}`, async () => {
      const { page, complaints } = await openView(browser, { width, theme });
      const before = (await persistence()).snapshot.finished;
      await visit(page, server.httpPort, 'persistence');
      await page.getByRole('button', { name: 'Snapshot now' }).click();
      await page.getByText('Snapshot started.').waitFor();
      await until(
        async () => (await persistence()).snapshot.finished > before,
        'the snapshot is finished',
      );
      await page.getByText('succeeded').waitFor();
      const table = page.getByRole('table', { name: 'Snapshots since the start' });
      await until(
        async () => (await table.getByRole('row').count()) > before + 1,
        'the list has the snapshot',
      );
      await page.getByText('No failures since the start.').waitFor();
      await page.getByText(folder).waitFor();
      await page.evaluate('window.scrollTo(0, 0)');
      await shoot(page, `persistence-${width}-${theme}`);
      const sideways =
        'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.is(await page.evaluate(sideways), 0);
      assert.equal(complaints, []);
      await page.close();
    });
  }

  pages('a failed snapshot is listed with the error of the system', async () => {
    const { page } = await openView(browser);
    const snapshots = path.join(folder, 'snapshots');
    rmSync(snapshots, { recursive: true });
    // A file in place of the folder, as root may write into any folder.
    writeFileSync(snapshots, '');
    await visit(page, server.httpPort, 'persistence');
    await page.getByRole('button', { name: 'Snapshot now' }).click();
    const failures = page.getByRole('table', { name: 'Failures since the start' });
    await failures
      .getByText(/^E[A-Z]+ \(\d+\)$/)
      .first()
      .waitFor();
    await page.locator('.fact', { hasText: 'Last attempt' }).locator('dd.bad').waitFor();
    await shoot(page, 'persistence-failed');
    const [failure] = (await persistence()).outcomes!.failures;
    assert.is(failure?.what, 'snapshot');
    assert.ok(failure!.errno! > 0);
    rmSync(snapshots);
    await page.close();
  });

  pages('a server that keeps nothing says so, and refuses a snapshot', async () => {
    const other = await startServer({
      http: true,
      shards: 1,
      args: ['--set', 'persistence.enabled=false'],
    });
    const { page } = await openView(browser);
    await visit(page, other.httpPort, 'persistence');
    await page.getByText('Nothing is kept on disk: persistence.enabled is off.').waitFor();
    const answer = await request(other.httpPort, '/debug/api/snapshot', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    assert.is(answer.status, 409);
    assert.equal((await persistence(other)).logs, []);
    await page.close();
    await other.stop();
  });
}

pages.run();
