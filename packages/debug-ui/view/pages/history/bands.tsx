/** Health and verdict over the time, each as a band with its text. */

import type { JSX } from 'preact';
import type { Past } from '../../../model/api.ts';
import { clockTime } from '../../../model/format.ts';
import { type Run, runsOf } from '../../../model/past/past.ts';

interface BandsProps {
  readonly past: Past;
  /** Causes by their bits. */
  readonly causes: readonly string[];
}

const LEVELS = ['healthy', 'degraded', 'unhealthy'];
const TONES = ['good', 'warn', 'bad'];

export function Bands({ past, causes }: BandsProps): JSX.Element {
  const health = runsOf(past, 'health');
  const limits = causes
    .map((cause, bit) => ({
      cause,
      runs: runsOf(past, 'limited_by', bit).filter(({ value }) => value === 1),
    }))
    .filter(({ runs }) => runs.length > 0);
  return (
    <dl class="bands">
      <Band
        title="Health"
        runs={health}
        toneOf={({ value }) => TONES[value] ?? 'bad'}
        textOf={healthText}
      />
      {limits.map(({ cause, runs }) => (
        <Band
          key={cause}
          title={`Limited by ${cause}`}
          runs={runs}
          toneOf={() => 'warn'}
          textOf={(run) => `limited by ${cause} ${timesOf(run)}`}
        />
      ))}
      {limits.length === 0 && (
        <div class="band-row">
          <dt>Limited by</dt>
          <dd class="faint">nothing in this time</dd>
        </div>
      )}
    </dl>
  );
}

interface BandProps {
  readonly title: string;
  readonly runs: readonly Run[];
  readonly toneOf: (run: Run) => string;
  readonly textOf: (run: Run) => string;
}

function Band({ title, runs, toneOf, textOf }: BandProps): JSX.Element {
  const text = runs.length === 0 ? 'no data' : runs.map(textOf).join(', ');
  return (
    <div class="band-row">
      <dt>{title}</dt>
      <dd>
        <div class="band" role="img" aria-label={text} title={text.slice(0, 500)}>
          {runs.map((run) => (
            <i
              key={run.fromMs}
              class={toneOf(run)}
              style={{ left: `${100 * run.from}%`, width: `${100 * (run.to - run.from)}%` }}
            />
          ))}
        </div>
      </dd>
    </div>
  );
}

function healthText(run: Run): string {
  return `${LEVELS[run.value] ?? ''} ${timesOf(run)}`;
}

function timesOf({ fromMs, toMs }: Run): string {
  return `from ${clockTime(fromMs)} to ${clockTime(toMs)}`;
}
