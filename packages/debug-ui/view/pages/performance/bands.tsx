/** Requests within each latency band, by shard, over the last minutes. */

import type { JSX } from 'preact';
import type { LiveBands } from '../../../model/api.ts';
import { count, percent } from '../../../model/format.ts';
import { bandRows, heatOf } from '../../../model/bands.ts';
import type { LiveState } from '../../live.ts';
import { Panel } from '../../parts.tsx';
import type { Polled } from '../../source.ts';

export function Bands({ live }: { readonly live: Polled<LiveState> }): JSX.Element {
  const bands = live.data?.bands ?? null;
  return (
    <Panel
      title="Latency bands by shard"
      source={live}
      aside={<span class="faint">queue + execute + durable, last five minutes</span>}
    >
      {bands === null ? <Off /> : <BandTable bands={bands} />}
    </Panel>
  );
}

function Off(): JSX.Element {
  return (
    <p class="prose">
      Bands are off. Set <code>latency-bands.enabled</code> to true under{' '}
      <a href="#/configuration">Configuration</a> to count requests by latency.
    </p>
  );
}

function BandTable({ bands }: { readonly bands: LiveBands }): JSX.Element {
  const thresholds = bands.thresholds_ms;
  const labels = [...thresholds.map((ms) => `≤ ${ms} ms`), `> ${thresholds.at(-1)!} ms`];
  return (
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
          {bandRows(bands).map(({ shard, counts, total }) => (
            <tr key={shard}>
              <th scope="row">{shard}</th>
              {counts.map((value, band) => (
                <td class={`number heat-${heatOf(band, value, total)}`} key={labels[band]}>
                  {count(value)} <small>{percent(total > 0 ? (100 * value) / total : 0)}</small>
                </td>
              ))}
              <td class="number">{count(total)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
