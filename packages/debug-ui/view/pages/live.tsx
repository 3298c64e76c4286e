/** Commands as they arrive: MONITOR with filters. The monitor of the page ends when the page is hidden or left. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { Monitor } from '../../model/api.ts';
import { monitorRequest } from '../../model/monitor/monitor-request.ts';
import { post } from '../browser.ts';
import { Panel, Problem, useDoing } from '../parts.tsx';
import { ActionButton, ReadOnlyNote } from '../scope.tsx';
import { Lines } from './commands/monitor-lines.tsx';
import { MONITOR_PATH } from './commands/running-monitor.ts';

export function LivePage(): JSX.Element {
  const doing = useDoing();
  const [monitor, setMonitor] = useState<Monitor | null>(null);
  const start = (request: object): void =>
    doing.run(async () => {
      setMonitor(await post<Monitor>(`${MONITOR_PATH}/start`, request));
      return '';
    });
  return (
    <>
      <Panel title="Filter">
        <ReadOnlyNote />
        <Problem text={doing.problem} />
        <StartForm isBusy={doing.isBusy} start={start} />
        <p class="faint">
          As MONITOR, it hides secrets and commands of administrators. It ends when this page is
          hidden or left, and after five minutes.
        </p>
      </Panel>
      {monitor === null ? (
        <Panel title="Monitor">
          <p class="empty">No monitor is running.</p>
        </Panel>
      ) : (
        <Lines key={monitor.id} started={monitor} />
      )}
    </>
  );
}

interface StartProps {
  readonly isBusy: boolean;
  readonly start: (request: object) => void;
}

function StartForm({ isBusy, start }: StartProps): JSX.Element {
  return (
    <form
      class="form"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        start(monitorRequest((name) => (form.get(name) as string | null) ?? ''));
      }}
    >
      <Field name="commands" label="Commands" hint="get, client|list" />
      <Field name="key" label="Key pattern" hint="user:*" />
      <Field name="client" label="Client" hint="id or address" />
      <Field name="user" label="User" hint="" />
      <label>
        Database
        <input type="number" name="db" min="0" />
      </label>
      <label>
        Source
        <select name="source">
          <option value="">all</option>
          <option value="client">clients</option>
          <option value="script">scripts</option>
          <option value="transaction">transactions</option>
        </select>
      </label>
      <label>
        Lines a second
        <input type="number" name="lines" min="1" max="1000" defaultValue="100" required />
      </label>
      <ActionButton class="primary" disabled={isBusy}>
        Start
      </ActionButton>
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
}

function Field({ name, label, hint }: FieldProps): JSX.Element {
  return (
    <label>
      {label}
      <input type="text" name={name} placeholder={hint} size={16} spellcheck={false} />
    </label>
  );
}
