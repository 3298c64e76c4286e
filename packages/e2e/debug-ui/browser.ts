/** A real browser on the debug pages of a real server, with everything it complains about. */

import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import type { LiveDocument } from '#api-types';
import { programOrNone, request, sharedService, until } from '#testkit';

/**
 * Screenshots of every run except CI's, where they are not needed and take a quarter of the time; `dist` is in no
 * commit.
 */
const SHOTS = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../../screenshots');
const WAIT_MS_MAX = 90_000;

export const PAGES = [
  ...['overview', 'history', 'performance', 'commands', 'live', 'hot-keys', 'key-fates'],
  ...['scripts', 'shards', 'clients', 'memory', 'persistence', 'replication', 'cluster', 'users'],
  ...['configuration', 'logs', 'traces', 'bundles'],
];

/** Connects to the browser of the run of tests; a test that is run by itself launches one. */
export async function openBrowser(): Promise<Browser> {
  mkdirSync(SHOTS, { recursive: true });
  const endpoint = await sharedService('browser');
  if (endpoint !== undefined) return chromium.connect(endpoint);
  return chromium.launch({
    executablePath: programOrNone('chromium') ?? 'chromium',
    args: ['--no-sandbox'],
  });
}

interface View {
  readonly page: Page;
  /** Errors on the console, violations of policies among them, and exceptions thrown. */
  readonly complaints: string[];
}

interface ViewOptions {
  readonly width?: number;
  readonly theme?: 'light' | 'dark';
}

export async function openView(browser: Browser, options: ViewOptions = {}): Promise<View> {
  const { width = 1280, theme = 'light' } = options;
  const page = await browser.newPage({
    viewport: { width, height: 800 },
    colorScheme: theme,
    acceptDownloads: true,
  });
  page.setDefaultTimeout(WAIT_MS_MAX);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, complaints };
}

/** Goes to a page and waits until it shows data. */
export async function visit(page: Page, httpPort: number, name: string): Promise<void> {
  await page.goto(`http://127.0.0.1:${httpPort}/debug/#/${name}`);
  await page.locator('header.top .identity').waitFor();
  await page.locator('nav a[aria-current="page"]').waitFor();
}

/** Waits until every panel shows an answer of now. */
export async function answered(page: Page): Promise<void> {
  const others = page.locator('main .panel:not([data-freshness="fresh"])');
  await until(async () => (await others.count()) === 0, 'every panel has its answer');
}

/** Waits until the server has taken `count` more samples, one a second: visible pages have sent requests by then. */
export async function samplesPass(httpPort: number, count: number): Promise<void> {
  const newest = async (): Promise<number> => {
    const answer = await request(httpPort, '/debug/api/live?since=0');
    const { samples } = answer.json() as Pick<LiveDocument, 'samples'>;
    return (samples.first_seq ?? 0) + samples.after_ms.length;
  };
  const last = (await newest()) + count;
  await until(async () => (await newest()) >= last, `${count} samples are taken`);
}

export async function shoot(page: Page, name: string): Promise<void> {
  if (process.env['CI'] === 'true') return;
  await page.screenshot({ path: path.join(SHOTS, `${name}.png`), fullPage: true });
}
