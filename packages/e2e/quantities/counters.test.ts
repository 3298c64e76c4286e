/** Counters never decrease: a monitoring system takes a decrease for a restart, and the whole value for growth. */
import { type ChildServer, keyPerShard, request, startServer } from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mixedLoad } from '../observability/mixed-load.ts';

const counters = suite('counters');

const SHARDS = 2;
const SCRAPES = 1_000;
const KEYS = keyPerShard(SHARDS, 'counted');

let server: ChildServer;

counters.before(async () => {
  server = await startServer({
    shards: SHARDS,
    http: true,
    args: ['--set', 'latency-bands.enabled=yes'],
  });
});
counters.after(async () => {
  await server.stop();
});

interface Metric {
  readonly name: string;
  readonly kind: string;
  readonly samples: readonly {
    readonly labels: Readonly<Record<string, string>>;
    readonly value?: number;
    readonly count?: number;
    readonly sum?: number;
  }[];
}

/** Everything that only grows, by its name and labels. */
async function scrape(): Promise<Map<string, number>> {
  const { metrics } = (await request(server.httpPort, '/debug/api/metrics')).json() as {
    metrics: Metric[];
  };
  const found = new Map<string, number>();
  for (const { name, kind, samples } of metrics) {
    for (const { labels, value, count, sum } of samples) {
      const place = `${name} ${JSON.stringify(labels)}`;
      if (kind === 'counter') found.set(place, value!);
      if (kind !== 'histogram') continue;
      found.set(`${place} count`, count!);
      found.set(`${place} sum`, sum!);
    }
  }
  return found;
}

counters('never go back', async () => {
  const load = await mixedLoad(server, KEYS);
  try {
    let before = await scrape();
    assert.ok(before.size > 100, String(before.size));
    for (let nth = 0; nth < SCRAPES; nth += 1) {
      const now = await scrape();
      for (const [place, value] of before) {
        const later = now.get(place);
        assert.ok(
          later !== undefined && later >= value,
          `${place}: ${value}, then ${String(later)}`,
        );
      }
      before = now;
    }
  } finally {
    await load.stop();
  }
});

counters.run();
