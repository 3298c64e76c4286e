/** The reference of all metrics as a page to read; generated, so that it cannot be wrong. */

import { redisMetrics, metricFamilies } from './table.ts';

export function metricsReference(): string {
  const sections = metricFamilies.map(({ title, metrics }) => {
    const rows = metrics.map(({ name, kind, unit, labels, help, source }) =>
      row(
        `\`${name}\``,
        kind,
        unit,
        labels.map((label) => `\`${label}\``).join(', '),
        help,
        source,
      ),
    );
    const head = [row('Name', 'Kind', 'Unit', 'Labels', 'Meaning', 'Read from')];
    return [`## ${title}`, '', ...head, row(...Array<string>(6).fill('---')), ...rows].join('\n');
  });
  const names = redisMetrics.map(({ name }) => `- \`${name}\``).join('\n');
  return `# Metrics

What \`/metrics\` exports. Written by \`npm run generate\` from the table in packages/telemetry/metrics. Values are read
from shared memory at the moment of a scrape; no thread is asked for them. Histograms of seconds have buckets from
10 us to 10 s. What the server does not have, it does not export: there is no metric that is always zero.

${sections.join('\n\n')}

## With \`[http] redis-exporter-names\`

${names}
`;
}

function row(...cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
