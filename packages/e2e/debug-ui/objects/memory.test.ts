/** The page about memory, in a real browser. */
// test-tier: long
import type { Browser } from 'playwright-core';
import type { MemoryDocument, MemoryKeysDocument, MemoryNode } from '#api-types';
import { type ChildServer, needs, request, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openBrowser, openView, shoot, visit } from '../browser.ts';

const pages = suite('debug page of memory');

let server: ChildServer;
let browser: Browser;

function demandSums(tree: MemoryNode): void {
  if (tree.parts.length === 0) return;
  assert.is(
    tree.parts.reduce((total, { bytes }) => total + bytes, 0),
    tree.bytes,
    tree.name,
  );
  tree.parts.forEach(demandSums);
}

if (needs('chromium')) {
  pages.before(async () => {
    const args = ['--set', 'memory.maxmemory=100mb'];
    [server, browser] = await Promise.all([
      startServer({ http: true, shards: 2, args }),
      openBrowser(),
    ]);
    const client = await server.client();
    await client.pipeline([
      ...Array.from({ length: 50 }, (_, nth) => ['SET', `small:${nth}`, 'v']),
      ['SET', 'big:one', 'x'.repeat(100_000)],
      ['RPUSH', 'list', 'a', 'b'],
    ]);
  });
  pages.after(async () => {
    await browser.close();
    await server.stop();
  });

  pages('the tree adds up to the resident size, and has the keys', async () => {
    const document = (await request(server.httpPort, '/debug/api/memory')).json() as MemoryDocument;
    demandSums(document.resident);
    assert.ok(document.resident.bytes > 10_000_000);
    assert.ok(document.used_bytes > 100_000);
    assert.is(document.limit_bytes, 100 * 1_024 * 1_024);
    assert.is(document.forecast, null, 'nothing is measured yet');
  });

  pages('a sample has the biggest keys, and refuses other counts', async () => {
    const answer = await request(server.httpPort, '/debug/api/memory/keys');
    const { keys, complete, biggest, prefixes } = answer.json() as MemoryKeysDocument;
    assert.equal([keys, complete], [52, true]);
    const [first] = biggest;
    assert.equal([first?.key, first?.type, first?.db], ['big:one', 'string', 0]);
    assert.equal(prefixes.map(({ prefix, sampled_keys: count }) => [prefix, count]).sort(), [
      ['', 1],
      ['big:', 1],
      ['small:', 50],
    ]);
    const part = await request(server.httpPort, '/debug/api/memory/keys?count=10');
    const { sampled_keys: sampled, complete: isComplete } = part.json() as MemoryKeysDocument;
    assert.equal([isComplete, sampled <= 22], [false, true]);
    for (const count of ['0', '1001', '-1', 'x']) {
      const wrong = await request(server.httpPort, `/debug/api/memory/keys?count=${count}`);
      assert.is(wrong.status, 400, count);
    }
  });

  for (const [width, theme] of [
    [1280, 'light'],
    [1280, 'dark'],
    [320, 'light'],
    [390, 'dark'],
  ] as const) {
    pages(`shows the tree, and takes a sample, ${width} pixels, ${theme}`, async () => {
      const { page, complaints } = await openView(browser, { width, theme });
      await visit(page, server.httpPort, 'memory');
      await page
        .getByText('growth is not measured yet')
        .or(page.getByText('no steady growth'))
        .waitFor();
      const tree = page.getByRole('table', { name: 'Resident memory by purpose' });
      for (const name of ['resident', 'malloc', 'keys and values', 'slabs', 'heaps']) {
        await tree.getByText(name, { exact: true }).waitFor();
      }
      await page.getByRole('combobox', { name: 'Keys of each shard' }).selectOption('100');
      await page.getByRole('button', { name: 'Take a sample' }).click();
      await page.getByText('All 52 keys looked at: the sizes are exact.').waitFor();
      await page.getByRole('table', { name: 'Biggest keys' }).getByText('big:one').waitFor();
      await page.getByRole('table', { name: 'Biggest prefixes' }).getByText('small:').waitFor();
      await shoot(page, `memory-${width}-${theme}`);
      const sideways =
        'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      assert.is(await page.evaluate(sideways), 0);
      assert.equal(complaints, []);
      await page.close();
    });
  }

  pages('leads to the settings of memory', async () => {
    const { page } = await openView(browser);
    await visit(page, server.httpPort, 'memory');
    await page.getByRole('link', { name: 'Settings of memory' }).click();
    await page.getByRole('cell', { name: 'memory.maxmemory', exact: true }).waitFor();
    assert.is(await page.getByRole('cell', { name: 'slowlog.max-len', exact: true }).count(), 0);
    await page.close();
  });
}

pages.run();
