/** Recording of key fates: its state, and what may be changed about it. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { KeyFates } from '../../../model/api.ts';
import { whole } from '../../../model/format.ts';
import { post } from '../../browser.ts';
import { ActionButton, useReadOnlyReason } from '../../scope.tsx';
import { Badge, Confirm, Done, Fact, Panel, Problem, useDoing } from '../../parts.tsx';
import { usePolled, type Polled } from '../../source.ts';

export function Recording({ fates }: { readonly fates: Polled<KeyFates> }): JSX.Element {
  const { data } = fates;
  const [isAsking, setAsking] = useState(false);
  const doing = useDoing();
  const act = (done: string, path: string, body: object = {}): void =>
    doing.run(async () => {
      await post(`/debug/api/${path}`, body);
      await fates.again();
      return done;
    });
  const set = (name: string, value: string): void =>
    act(`${name} is ${value} until the next restart.`, 'config/set', { name, value });
  return (
    <Panel
      title="Recording of removed keys"
      source={fates}
      aside={data !== null && <State fates={data} forget={() => setAsking(true)} />}
    >
      <Problem text={doing.problem} />
      <Done text={doing.done} />
      {data?.recording.enabled === true && <Kept fates={data} isBusy={doing.isBusy} set={set} />}
      {data?.recording.enabled === false && (
        <Off setting={data.recording.setting} isBusy={doing.isBusy} set={set} />
      )}
      {isAsking && (
        <Confirm
          title="Clear the removed keys?"
          action="Clear"
          close={() => setAsking(false)}
          confirm={() => act('Removed keys cleared.', 'key-fates/reset')}
        >
          <p>They are cleared for all users of this server. The counts stay.</p>
        </Confirm>
      )}
    </Panel>
  );
}

interface StateProps {
  readonly fates: KeyFates;
  readonly forget: () => void;
}

function State({ fates: { recording, kept }, forget }: StateProps): JSX.Element {
  return (
    <>
      <Badge
        tone={recording.enabled ? 'good' : 'plain'}
        text={recording.enabled ? 'recording' : 'off'}
      />
      <ActionButton type="button" disabled={kept === 0} onClick={forget}>
        Clear
      </ActionButton>
    </>
  );
}

interface SetProps {
  readonly isBusy: boolean;
  readonly set: (name: string, value: string) => void;
}

function Kept({ fates, isBusy, set }: SetProps & { readonly fates: KeyFates }): JSX.Element {
  const { recording, kept } = fates;
  // The selected value is shown until the server has returned the actual one.
  const [chosen, setChosen] = useState(recording.overwritten);
  const reason = useReadOnlyReason();
  const isOn = isBusy ? chosen : recording.overwritten;
  return (
    <>
      <dl class="facts">
        <Fact
          label="Remembered"
          value={whole(kept)}
          note={`of ${whole(recording.max_len)}: ${recording.setting}`}
        />
        <Fact
          label="Overwritten values"
          value={recording.overwritten ? 'remembered' : 'counted only'}
          note={recording.overwritten_setting}
        />
      </dl>
      <label class="check" title={reason}>
        <input
          type="checkbox"
          checked={isOn}
          disabled={isBusy || reason !== undefined}
          onChange={({ currentTarget: { checked } }) => {
            setChosen(checked);
            set(recording.overwritten_setting, checked ? 'yes' : 'no');
          }}
        />
        record overwritten values as well
      </label>
    </>
  );
}

function Off({ setting, isBusy, set }: SetProps & { readonly setting: string }): JSX.Element {
  const standard = usePolled<{ defaults: Readonly<Record<string, string>> }>(
    '/debug/api/config/defaults',
    0,
  );
  const length = standard.data?.defaults[setting];
  return (
    <div class="prose">
      <p>
        Removed keys are counted, but not recorded: <code>{setting}</code> is 0. It sets the number
        of recorded keys, and can be changed at runtime.
      </p>
      <ActionButton
        type="button"
        class="primary"
        disabled={isBusy || length === undefined}
        onClick={() => set(setting, length ?? '')}
      >
        Record the last {length ?? '…'} removed keys
      </ActionButton>
    </div>
  );
}
