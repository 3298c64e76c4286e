/** Runbooks: each health code and alert has one that is reached from everywhere, and they name what is there. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { HEALTH_CODES, RUNBOOKS, runbookOf } from '#stats';
import { isSettingName } from '#config';
import { request, startServer, textOf } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const runbooks = suite('runbooks');

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const rules = readFileSync(`${root}configs/observability/rules.yml`, 'utf8');

/** Name of each alert with the fragment of its runbook's address. */
const alerts = [...rules.matchAll(/- alert: (\w+)\n(?:(?!- alert:)[^])*?runbooks#(.+)'/g)].map(
  ([, name = '', target = '']) => ({ name, target }),
);

runbooks('each alert leads to its own', () => {
  assert.is(alerts.length, rules.match(/- alert:/g)!.length);
  for (const { name, target } of alerts) {
    const own = RUNBOOKS.filter((each) => each.alerts.includes(name));
    assert.is(own.length, 1, name);
    // The alert of all health codes leads to that of the code.
    if (name === 'SvcHealth') assert.is(target, '{{ $labels.code }}');
    else assert.is(own[0]!.name, target, name);
  }
  const known = new Set(alerts.map(({ name }) => name));
  const all = RUNBOOKS.flatMap((each) => each.alerts);
  assert.equal(
    all.filter((name) => !known.has(name)),
    [],
    'no alert that is not there',
  );
});

runbooks('each has a place to look at and something to do', () => {
  for (const { name, look, act, meaning } of RUNBOOKS) {
    assert.ok(look.length > 0 && act.length > 0 && meaning.endsWith('.'), name);
  }
  assert.is(new Set(RUNBOOKS.map(({ name }) => name)).size, RUNBOOKS.length);
  for (const code of HEALTH_CODES) assert.is(runbookOf(code.toLowerCase())?.name, code);
  assert.is(runbookOf('none'), undefined);
});

runbooks('settings that they name are there', () => {
  const text = RUNBOOKS.flatMap(({ look, act, meaning }) => [meaning, ...look, ...act]).join('\n');
  const named = [...text.matchAll(/`([a-z]+(?:\.[a-z-]+)+)(?: = [^`]*)?`/g)].map(([, it]) => it!);
  const settings = named.filter((it) => !it.endsWith('.json'));
  assert.ok(settings.length > 10);
  assert.equal(
    settings.filter((it) => !isSettingName(it)),
    [],
  );
});

runbooks('the page has all of them, and its links lead to pages', async () => {
  const server = await startServer({ http: true });
  const page = await request(server.httpPort, '/debug/runbooks');
  assert.is(page.status, 200);
  for (const { name, alerts: own } of RUNBOOKS) {
    for (const each of [name, ...own]) assert.match(page.text, `id="${each}"`);
  }
  const text = RUNBOOKS.flatMap(({ look, act }) => [...look, ...act]).join('\n');
  const pages = new Set([...text.matchAll(/`(\/debug\/[a-z-]+)`/g)].map(([, it]) => it!));
  for (const each of pages) {
    assert.is((await request(server.httpPort, each)).status, 303, each);
  }
  const style = await request(server.httpPort, '/debug/runbooks.css');
  assert.is(style.status, 200);
  await server.stop();
});

runbooks('fields of INFO that they name are there', async () => {
  const server = await startServer({ http: true, args: ['--set', 'tiered.enabled=yes'] });
  const client = await server.client();
  const info = textOf(await client.call('INFO', 'everything'));
  for (const field of ['rdb_last_bgsave_status', 'total_connections_received', 'usable_memory']) {
    assert.match(info, field);
  }
  assert.match(info, 'total_net_repl_output_bytes');
  await server.stop();
});

runbooks.run();
