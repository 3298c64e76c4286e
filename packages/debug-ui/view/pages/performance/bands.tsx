/** How many requests were within which band, by shard, over the last minutes. */

import type { JSX } from 'preact';
import { count, percent } from '../../../model/format.ts';
import { sumBands } from '../../../model/bands.ts';
import { useLive } from '../../live.ts';
import { Panel } from '../../parts.tsx';

export function Bands(): JSX.Element {
  const { history, thresholdsMs } = useLive();
  if (thresholdsMs.length === 0) {
    return (
      <Panel title="Latency bands by shard">
        <p class="prose">
          Bands are off. Set <code>latency-bands.enabled</code> to true under{' '}
          <a href="#/configuration">Configuration</a> to count requests by how long they took.
        </p>
      </Panel>
    );
  }
  const labels = [...thresholdsMs.map((ms) => `≤ ${ms} ms`), `> ${thresholdsMs.at(-1)!} ms`];
  const rows = sumBands(history.samples, labels.length);
  return (
    <Panel
      title="Latency bands by shard"
      aside={<span class="faint">queue + execute + durable, last five minutes</span>}
    >
      <div class="table" role="region" aria-label="Latency bands by shard" tabIndex={0}>
        <table class="bands">
          <caption class="unseen">Requests by latency band and shard</caption>
          <thead>
            <tr>
              <th scope="col">Shard</th>
              {labels.map((label) => (
                <th scope="col" class="number" key={label}>
                  {label}
                </th>
              ))}
              <th scope="col" class="number">
                total
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ counts, total }, shard) => (
              <tr key={shard}>
                <th scope="row">{shard}</th>
                {counts.map((value, index) => (
                  <td class={`number ${heatOf(value, total, index)}`} key={labels[index]}>
                    {value === 0 ? '0' : count(value)}{' '}
                    <small>{percent(total > 0 ? (100 * value) / total : 0)}</small>
                  </td>
                ))}
                <td class="number">{count(total)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

/** The first band is where requests should be; any other one is marked by its share. */
function heatOf(value: number, total: number, index: number): string {
  if (value === 0 || total === 0) return 'faint';
  if (index === 0) return '';
  const share = value / total;
  return share > 0.01 ? 'heat-3' : share > 0.001 ? 'heat-2' : 'heat-1';
}
