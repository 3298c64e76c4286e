import { moduleMetric } from '#link';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MetricSource } from './definition.ts';
import { Exposition } from './exposition.ts';
import { moduleMetrics } from './module-metrics.ts';

const contributed = suite('metrics of modules');

contributed('have a sample for each value of their label, as it is at the scrape', async () => {
  const letters = moduleMetric({
    kind: 'counter',
    name: 'toy_commands_total',
    help: 'Commands by their first letter.',
    label: { name: 'letter', values: ['g', 's'] },
  });
  const size = moduleMetric({
    kind: 'gauge',
    name: 'toy_size_bytes',
    help: 'Size.',
    unit: 'bytes',
  });
  const definitions = moduleMetrics([letters, size]);
  const exposition = new Exposition(definitions, 'text', () => ({}) as unknown as MetricSource);
  letters.values[1]! += 2;
  size.values[0] = 7;
  const text = await exposition.render();
  assert.ok(text.includes('# TYPE toy_commands_total counter'), text);
  assert.ok(text.includes('toy_commands_total{letter="g"} 0'), text);
  assert.ok(text.includes('toy_commands_total{letter="s"} 2'), text);
  assert.ok(text.includes('\ntoy_size_bytes 7'), text);
});

contributed.run();
