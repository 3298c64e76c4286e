/** Settings of tracing: on and off, the share of commands, and what is kept in any case. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Traces, TracingReport } from '../../../model/api.ts';
import { percent } from '../../../model/format.ts';
import { post } from '../../browser.ts';
import { Badge, Done, Panel, Problem, useDoing } from '../../parts.tsx';
import { ActionButton, ReadOnlyNote } from '../../scope.tsx';
import type { Polled } from '../../source.ts';

export function Tracing({ traces }: { readonly traces: Polled<Traces> }): JSX.Element {
  const doing = useDoing();
  const tracing = traces.data?.tracing;
  const set = (name: string, value: string): void =>
    doing.run(async () => {
      await post('/debug/api/config/set', { name, value });
      await traces.again();
      return `${name} is ${value} until the next restart.`;
    });
  return (
    <Panel
      title="Tracing"
      source={traces}
      aside={
        tracing !== undefined && (
          <>
            <Badge
              tone={tracing.enabled ? 'good' : 'plain'}
              text={tracing.enabled ? 'on' : 'off'}
            />
            <ActionButton
              type="button"
              disabled={doing.isBusy}
              onClick={() => set('tracing.enabled', tracing.enabled ? 'no' : 'yes')}
            >
              {tracing.enabled ? 'Stop tracing' : 'Start tracing'}
            </ActionButton>
          </>
        )
      }
    >
      <ReadOnlyNote />
      <Problem text={doing.problem} />
      <Done text={doing.done} />
      {tracing !== undefined && <Kept tracing={tracing} isBusy={doing.isBusy} set={set} />}
    </Panel>
  );
}

interface KeptProps {
  readonly tracing: TracingReport;
  readonly isBusy: boolean;
  readonly set: (name: string, value: string) => void;
}

function Kept({ tracing, isBusy, set }: KeptProps): JSX.Element {
  const { keep_slow_ms: slowMs, keep_failed: keepsFailed } = tracing;
  return (
    <>
      <p class="prose">
        {percent(tracing.sampling_rate * 100)} of the commands are traced.{' '}
        {slowMs > 0 ? `Commands of ${slowMs} ms and more are kept in any case. ` : ''}
        {keepsFailed ? 'Failed commands are kept in any case.' : ''}
      </p>
      <div class="buttons">
        <NumberSetting
          name="tracing.sampling-rate"
          label="Share of commands, 0 to 1"
          value={tracing.sampling_rate}
          isBusy={isBusy}
          set={set}
        />
        <NumberSetting
          name="tracing.keep-slow-ms"
          label="Keep from this many ms (0 = off)"
          value={slowMs}
          isBusy={isBusy}
          set={set}
        />
        <ActionButton
          type="button"
          disabled={isBusy}
          onClick={() => set('tracing.keep-failed', keepsFailed ? 'no' : 'yes')}
        >
          {keepsFailed ? 'Do not keep failed ones' : 'Keep failed ones'}
        </ActionButton>
      </div>
    </>
  );
}

interface NumberSettingProps extends Omit<KeptProps, 'tracing'> {
  readonly name: string;
  readonly label: string;
  readonly value: number;
}

/** A number that is sent by its button; no response changes what is typed. */
function NumberSetting({ name, label, value, isBusy, set }: NumberSettingProps): JSX.Element {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (typed !== null) set(name, typed);
        setTyped(null);
      }}
    >
      <label>
        {label}{' '}
        <input
          type="text"
          inputMode="decimal"
          size={6}
          value={typed ?? String(value)}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>{' '}
      <ActionButton type="submit" disabled={isBusy || typed === null}>
        Set
      </ActionButton>
    </form>
  );
}
