/** The Grafana dashboard with a server in default configuration: a panel has data, or shows how to switch it on. */
import { readFileSync } from 'node:fs';
import { request, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const dashboard = suite('dashboard');

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
  readonly fieldConfig?: { readonly defaults: { readonly noValue?: string } };
}

/** The sources are five levels up from what was compiled from them. */
const file = '../../../../configs/observability/grafana-dashboard.json';
const { panels } = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as {
  readonly panels: readonly Panel[];
};

/** Pattern of the hint that a panel without data must show. */
function howTo(missing: readonly string[]): RegExp {
  const allAre = (start: string): boolean => missing.every((name) => name.startsWith(start));
  if (allAre('svc_tiered_')) return /warm tier is off\. .*tiered\.enabled/;
  if (allAre('svc_replica_')) return /^No replicas connected.*REPLICAOF/;
  return allAre('svc_cluster_')
    ? /not part of a cluster\. .*cluster\.enabled/
    : / (is|are) off\. .*CONFIG SET/;
}

dashboard('every panel has data at once, or says how to get it', async () => {
  const server = await startServer({ shards: 2, http: true });
  const client = await server.client();
  await client.pipeline([['MSET', 'a', '1', 'b', '2', 'c', '3'], ['SAVE'], ['PING']]);
  await client.reply('NONSENSE');
  const { text } = await request(server.httpPort, '/metrics');
  const reported = new Set(text.split('\n').map((line) => line.replace(/[{ ].*/, '')));
  for (const { title, targets = [], fieldConfig } of panels) {
    const names = targets.flatMap(({ expr }) => expr.match(/\bsvc_[a-z0-9_]+/g) ?? []);
    const missing = names.filter((name) => !reported.has(name));
    if (missing.length === 0) continue;
    const hint = fieldConfig?.defaults.noValue ?? '';
    const how = howTo(missing);
    assert.match(hint, how, `${title}: ${missing.join()}`);
  }
  await server.stop();
});

dashboard.run();
