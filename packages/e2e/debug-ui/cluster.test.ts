/** The page about the cluster, in a real browser. */
// test-tier: long
import type { Browser } from 'playwright-core';
import { type ChildServer, needs, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  sharedEtcd,
  type Coordinator,
  hasRole,
  isWhole,
  startNode,
  type PlayedNode,
} from '../cluster/played-cluster.test-helper.ts';
import { answered, openBrowser, openView, shoot, visit } from './browser.ts';

const pages = suite('debug page of the cluster');

let etcd: Coordinator;
let nodes: PlayedNode[];
let exclusive: ChildServer;
let browser: Browser;

if (needs('chromium') && needs('etcd')) {
  pages.before(async () => {
    etcd = await sharedEtcd();
    const wish = { http: true };
    const one = await startNode(etcd, { ...wish, group: 'one' });
    const two = await startNode(etcd, { ...wish, group: 'two' });
    await one.client.call('CLUSTER', 'ADDSLOTSRANGE', '0', '8191');
    await two.client.call('CLUSTER', 'ADDSLOTSRANGE', '8192', '16383');
    await Promise.all([isWhole(one), isWhole(two)]);
    const replica = await startNode(etcd, { ...wish, group: 'one' });
    await hasRole(replica, 'slave');
    nodes = [one, two, replica];
    const client = await one.server.client();
    await client.call('CLIENT', 'SETINFO', 'LIB-NAME', 'played');
    await client.reply('GET', 'foo');
    await client.call('SET', 'bar', 'v');
    await replica.client.call('CLUSTER', 'FAILOVER');
    await hasRole(replica, 'master');
    await hasRole(one, 'slave');
    [exclusive, browser] = await Promise.all([startServer({ http: true }), openBrowser()]);
  });
  pages.after(async () => {
    await browser.close();
    await Promise.all([exclusive, ...nodes.map(({ server }) => server)].map((each) => each.stop()));
    await etcd.stop();
  });

  for (const [width, theme] of [
    [1440, 'light'],
    [390, 'dark'],
  ] as const) {
    pages(`shows slots, nodes and what happened, at ${width} pixels, ${theme}`, async () => {
      const { page, complaints } = await openView(browser, { width, theme });
      await visit(page, nodes[0]!.server.httpPort, 'cluster');
      await answered(page);
      const groups = page.getByRole('table', { name: 'Groups', exact: true });
      await groups.getByText('8192-16383').waitFor();
      await page
        .getByRole('table', { name: 'Events of the cluster' })
        .getByText('the primary handed over its role')
        .first()
        .waitFor();
      await page.getByRole('table', { name: 'Redirects by library' }).getByText('played').waitFor();
      const known = page.getByRole('table', { name: 'Nodes', exact: true });
      await known.getByText('of 1', { exact: false }).first().waitFor();
      await page.locator('.slot-map canvas').hover({ position: { x: 5, y: 5 } });
      await page.getByText(/^Slot \d+: group \d/).waitFor();
      await shoot(page, `cluster-${width}-${theme}`);
      assert.equal(complaints, []);
      await page.close();
    });
  }

  pages('says that a server is in no cluster', async () => {
    const { page, complaints } = await openView(browser, {});
    await visit(page, exclusive.httpPort, 'cluster');
    await answered(page);
    await page.getByText('This server is not part of a cluster').waitFor();
    assert.equal(complaints, []);
    await page.close();
  });
}

pages.run();
