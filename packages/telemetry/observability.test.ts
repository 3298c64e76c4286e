/** Tests of configs/observability: it names metrics that exist, and Prometheus' own tool finds nothing wrong. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { needs } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metrics } from './metrics/table.ts';

const observability = suite('observability');

const folder = fileURLToPath(new URL('../../../configs/observability', import.meta.url));
const textOf = (name: string): string => readFileSync(path.join(folder, name), 'utf8');

const known = new Set([
  ...metrics.flatMap(({ name, kind }) =>
    kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  ),
]);

const unknownIn = (text: string): string[] =>
  [...text.matchAll(/\bsvc_[a-z0-9_]+/g)].map(([name]) => name).filter((name) => !known.has(name));

interface Dashboard {
  panels: { title: string; type: string; targets?: { expr: string }[] }[];
}
const { panels: all } = JSON.parse(textOf('grafana-dashboard.json')) as Dashboard;
const panels = all.filter(({ type }) => type !== 'row');
const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

observability('has a dashboard whose every query names metrics that exist', () => {
  assert.ok(panels.length >= 15 && panels.every(({ targets = [] }) => targets.length > 0));
  for (const query of queries) {
    assert.match(query, /\bsvc_/);
    assert.equal(unknownIn(query), [], query);
  }
});

observability('has rules that name metrics that exist, and all that must be watched', () => {
  const rules = textOf('rules.yml');
  assert.equal(unknownIn(rules), []);
  for (const name of [
    ...['svc_memory_used_bytes', 'svc_memory_maxmemory_bytes', 'svc_persistence_errors_total'],
    ...['svc_commands_duration_seconds_bucket', 'svc_connections_rejected_total'],
    'svc_shard_keys',
  ]) {
    assert.ok(rules.includes(name), name);
  }
  for (const text of [rules, textOf('grafana-dashboard.json')]) {
    assert.not.match(text, /rate\([^)]*svc_latency_band_requests_total/, 'it is no counter');
  }
});

observability('tests every alert, both ways where it can', () => {
  const alerts = [...textOf('rules.yml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const tested = textOf('rules.test.yml');
  for (const name of alerts) assert.ok(tested.includes(`alertname: ${name}`), name);
});

if (needs('promtool')) {
  const promtool = (...args: string[]): void => {
    const { status, stdout, stderr } = spawnSync('promtool', args, {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.is(status, 0, `${stdout}${stderr}`);
  };

  observability('passes promtool', () => {
    promtool('check', 'config', 'prometheus.yml');
    promtool('check', 'rules', 'rules.yml');
    promtool('test', 'rules', 'rules.test.yml');
  });

  observability('has a dashboard whose queries can be read', () => {
    const own = mkdtempSync(path.join(tmpdir(), 'svc-rules-'));
    const rules = queries.map((query, index) => {
      const expr = query.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*');
      return { record: `query:${index}`, expr };
    });
    const file = path.join(own, 'rules.yml');
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
    promtool('check', 'rules', file);
    rmSync(own, { recursive: true });
  });
}

observability.run();
