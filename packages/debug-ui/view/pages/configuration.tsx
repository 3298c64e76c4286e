/** All settings with value and source; some can be changed at runtime. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ConfigEntry } from '../../model/api.ts';
import { visible } from '../../model/escape.ts';
import { counted } from '../../model/format.ts';
import { filtered } from '../../model/sorting.ts';
import { post } from '../browser.ts';
import { usePolled } from '../source.ts';
import { useReadOnlyReason } from '../scope.tsx';
import { Done, Filter, Panel, Problem, useDoing } from '../parts.tsx';
import { Table, type Column } from '../table.tsx';

const PERIOD_MS = 5_000;

// eslint-disable-next-line max-lines-per-function -- the markup of one page
export function ConfigurationPage(): JSX.Element {
  const config = usePolled<{ entries: ConfigEntry[] }>('/debug/api/config', PERIOD_MS);
  const standard = usePolled<{ defaults: Readonly<Record<string, string>> }>(
    '/debug/api/config/defaults',
    0,
  );
  const [filter, setFilter] = useState('');
  const [isChangedOnly, setChangedOnly] = useState(false);
  const { edited, closed, edit, close } = useEditing();
  const doing = useDoing();
  const reason = useReadOnlyReason();
  const all = config.data?.entries ?? [];
  const rows = filtered(isChangedOnly ? all.filter(isChanged) : all, filter, textOf);
  const change = (name: string, value: string): void =>
    doing.run(async () => {
      await post('/debug/api/config/set', { name, value });
      close(name);
      await config.again();
      return `${name} changed until the next restart.`;
    });
  const valueColumn: Column<ConfigEntry> = {
    name: 'value',
    title: 'Value',
    value: ({ value }) => value,
    show: (entry) =>
      edited === entry.name ? (
        <Editor
          entry={entry}
          isBusy={doing.isBusy}
          change={change}
          close={() => close(entry.name)}
        />
      ) : (
        <Value entry={entry} edit={() => edit(entry.name)} closed={closed} reason={reason} />
      ),
  };
  return (
    <Panel
      title={
        config.data === null ? 'Settings' : `${rows.length} of ${counted(all.length, 'setting')}`
      }
      source={config}
      aside={
        <>
          <OnlyChanged isChosen={isChangedOnly} choose={setChangedOnly} />
          <Filter label="Filter settings" value={filter} change={setFilter} />
        </>
      }
    >
      <Problem text={doing.problem} />
      <Done text={doing.done} />
      <Table
        caption="Settings"
        columns={[nameColumn, valueColumn, defaultColumn(standard.data?.defaults), ...columns]}
        rows={rows}
        keyOf={({ name }) => name}
        order={{ column: 'name', isDescending: false }}
        empty="No setting matches."
        rowsMax={1_000}
      />
    </Panel>
  );
}

function isChanged({ source }: ConfigEntry): boolean {
  return source !== 'default';
}

function textOf({ name, value, description }: ConfigEntry): string {
  return `${name} ${value} ${description}`;
}

interface Editing {
  /** The setting whose editor is open. */
  readonly edited: string | null;
  /** The one whose editor has just been closed: with it went what had the focus, which its button takes over. */
  readonly closed: { current: string | null };
  readonly edit: (name: string) => void;
  readonly close: (name: string) => void;
}

function useEditing(): Editing {
  const [edited, setEdited] = useState<string | null>(null);
  const closed = useRef<string | null>(null);
  const close = (name: string): void => {
    closed.current = name;
    setEdited(null);
  };
  return { edited, closed, edit: setEdited, close };
}

interface OnlyChangedProps {
  readonly isChosen: boolean;
  readonly choose: (isChosen: boolean) => void;
}

function OnlyChanged({ isChosen, choose }: OnlyChangedProps): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={isChosen}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
      only changed settings
    </label>
  );
}

const nameColumn: Column<ConfigEntry> = {
  name: 'name',
  title: 'Name',
  value: ({ name }) => name,
  show: ({ name }) => <code>{name}</code>,
};

const columns: readonly Column<ConfigEntry>[] = [
  {
    name: 'source',
    title: 'Source',
    value: ({ source }) => source,
    show: ({ source }) => <span class={source === 'default' ? 'faint' : 'accent'}>{source}</span>,
  },
  {
    name: 'description',
    title: 'Description',
    isWide: true,
    show: ({ description }) => <span class="prose">{description}</span>,
  },
];

function defaultColumn(
  defaults: Readonly<Record<string, string>> | undefined,
): Column<ConfigEntry> {
  return {
    name: 'default',
    title: 'Default',
    value: ({ name }) => defaults?.[name],
    show: ({ name }) => <code class="standard faint">{shownValue(defaults?.[name])}</code>,
  };
}

function shownValue(value: string | undefined): string {
  if (value === undefined) return '';
  return value === '' ? '""' : visible(value);
}

interface ValueProps {
  readonly entry: ConfigEntry;
  readonly edit: () => void;
  readonly closed: Editing['closed'];
  /** Reason why nothing can be changed. */
  readonly reason: string | undefined;
}

function Value({ entry, edit, closed, reason }: ValueProps): JSX.Element {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (closed.current !== entry.name) return;
    closed.current = null;
    button.current?.focus();
  }, []);
  return (
    <span class="value">
      <code>{shownValue(entry.value)}</code>
      {entry.mutable && (
        <button
          ref={button}
          type="button"
          class="small"
          aria-label={`Change ${entry.name}`}
          disabled={reason !== undefined}
          title={reason}
          onClick={edit}
        >
          Change
        </button>
      )}
    </span>
  );
}

interface EditorProps {
  readonly entry: ConfigEntry;
  readonly isBusy: boolean;
  readonly change: (name: string, value: string) => void;
  readonly close: () => void;
}

function Editor({ entry, isBusy, change, close }: EditorProps): JSX.Element {
  const isHidden = entry.value === '(hidden)';
  const kind = isHidden ? ({ type: 'password' } as const) : ({ type: 'text' } as const);
  // The placeholder of a secret must not be sent back as its value.
  const [value, setValue] = useState(isHidden ? '' : entry.value);
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        change(entry.name, value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <input
        ref={focusOnce}
        {...kind}
        aria-label={`New value of ${entry.name}`}
        value={value}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => setValue(event.currentTarget.value)}
      />
      <button disabled={isBusy}>Set</button>
      <button type="button" onClick={close}>
        Cancel
      </button>
    </form>
  );
}

function focusOnce(input: HTMLInputElement | null): void {
  if (input === null || input.dataset['seen'] !== undefined) return;
  input.dataset['seen'] = '';
  input.select();
  input.focus();
}
