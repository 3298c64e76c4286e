/** Accessibility of every debug page and of the log-in, by axe-core in a real browser: none of its findings is serious. */
// test-tier: long
import axe, { type AxeResults } from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { type ChildServer, needs, request, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answered, openBrowser, openView, PAGES, visit } from './browser.ts';

const accessible = suite('accessibility of the debug pages');

const TOKEN = 'a-token-of-the-test';
const AUTHORIZED = { authorization: `Bearer ${TOKEN}` };

let server: ChildServer;
let browser: Browser;

/** Findings of impact serious or critical, each with its elements. */
async function findings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const results = await page.evaluate<AxeResults>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  assert.ok(results.passes.length > 0, 'axe-core has looked at the page');
  return results.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, impact, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${impact} ${id}: ${html}\n${failureSummary}`),
    );
}

async function logIn(page: Page): Promise<void> {
  await page.goto(`http://127.0.0.1:${server.httpPort}/debug/`);
  await page.getByLabel('Token').fill(TOKEN);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
}

if (needs('chromium')) {
  accessible.before(async () => {
    const args = [`http.token=${TOKEN}`, 'slowlog.log-slower-than=0', 'tracing.enabled=true'];
    [server, browser] = await Promise.all([
      startServer({ http: true, shards: 2, args: args.flatMap((each) => ['--set', each]) }),
      openBrowser(),
    ]);
    // Tables with rows, and an issue on the overview.
    const client = await server.client();
    await client.call('CLIENT', 'SETNAME', 'app');
    await client.call('SET', 'key', 'value', 'EX', 1_000);
    await client.call('EVAL', 'return 1', 0);
    await client.call('DEBUG', 'SLEEP', '0.02');
    await client.call('CONFIG', 'SET', 'key-prefixes', 'key:');
    await client.call('HOTKEYS', 'START', 'METRICS', 2, 'cpu', 'net');
    await client.call('GET', 'key');
    await client.call('DEL', 'key');
    await request(server.httpPort, '/debug/api/bundle/generate', { headers: AUTHORIZED });
  });
  accessible.after(async () => {
    await browser.close();
    await server.stop();
  });

  accessible('a fault is found', async () => {
    const { page } = await openView(browser);
    await page.goto(`http://127.0.0.1:${server.httpPort}/debug/login`);
    await page.evaluate(
      "document.querySelector('label').replaceWith(document.querySelector('input'))",
    );
    const [found = ''] = await findings(page);
    assert.match(found, /^critical label: <input /);
    await page.close();
  });

  for (const theme of ['light', 'dark'] as const) {
    accessible(`the log-in in ${theme}`, async () => {
      const { page } = await openView(browser, { theme });
      await page.goto(`http://127.0.0.1:${server.httpPort}/debug/login?ended`);
      await page.getByText(/^Your session has ended/).waitFor();
      assert.equal(await findings(page), []);
      await page.close();
    });

    accessible(`every page in ${theme}`, async () => {
      const { page } = await openView(browser, { theme });
      await logIn(page);
      const found: string[] = [];
      for (const name of PAGES) {
        await visit(page, server.httpPort, name);
        await answered(page);
        for (const finding of await findings(page)) found.push(`${name}: ${finding}`);
      }
      assert.equal(found, [], found.join('\n'));
      await page.close();
    });

    accessible(`the page of live commands while it runs, in ${theme}`, async () => {
      const { page } = await openView(browser, { theme });
      await logIn(page);
      await visit(page, server.httpPort, 'live');
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByText(/^Running until /).waitFor();
      const client = await server.client();
      await client.call('GET', 'seen');
      await page.getByRole('table').getByText('GET seen').waitFor();
      assert.equal(await findings(page), []);
      await client.end();
      await page.close();
    });
  }
}

accessible.run();
