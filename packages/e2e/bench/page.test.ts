/** The page of `svc-server bench --html` in a browser: it draws its plots, and loads and runs nothing of others. */
// test-tier: long

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isSecure, needs, programOrNone, startServer } from '#testkit';
import { chromium } from 'playwright-core';
import { runBench } from './bench-process.ts';

const pages = suite('page of bench');

pages('has plots, also of a load with errors on two servers', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-bench-'));
  const server = await startServer();
  const place = `127.0.0.1:${server.port}`;
  const { code } = await runBench(
    folder,
    ...['--address', place, '--compare', place, '--rounds', '1', '--html', 'out.html'],
    ...['--rate', '500', '--duration', '2'],
    ...['--command', 'GET </script><script>alert(1)</script>', '--command', 'LPOP'],
  );
  await server.stop();
  assert.is(code, 1);
  const browser = await chromium.launch({
    executablePath: programOrNone('chromium') ?? 'chromium',
    args: ['--no-sandbox'],
  });
  try {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('console', (message) => faults.push(message.text()));
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('dialog', (dialog) => faults.push(dialog.message()));
    page.on('request', (request) => {
      if (!request.url().startsWith('file:')) faults.push(request.url());
    });
    await page.goto(`file://${path.join(folder, 'out.html')}`);
    await page.waitForSelector('#errors canvas');
    assert.equal(faults, []);
    assert.is(await page.locator('canvas').count(), 4);
    const text = await page.locator('pre').innerText();
    assert.match(text, '</script>');
    const legend = await page.locator('#throughput .u-legend').innerText();
    assert.match(legend, place);
  } finally {
    await browser.close();
    rmSync(folder, { recursive: true });
  }
});

if (!isSecure && needs('chromium')) pages.run();
