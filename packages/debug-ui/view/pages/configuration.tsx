/** All settings with value and source; some can be changed at runtime. */

import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ConfigEntry, SettingCheck, SettingFacts, SettingsFacts } from '../../model/api.ts';
import { counted } from '../../model/format.ts';
import { filtered } from '../../model/sorting.ts';
import { useParameter } from '../address.ts';
import { post } from '../browser.ts';
import { usePolled } from '../source.ts';
import { useReadOnlyReason } from '../scope.tsx';
import { Done, Filter, Panel, Problem, useDoing } from '../parts.tsx';
import { Table, type Column } from '../table.tsx';
import { Editor, shownValue } from './configuration/editor.tsx';
import { UndoList, withChange, type MadeChange } from './configuration/undo.tsx';

const HIDDEN = '(hidden)';
const PERIOD_MS = 5_000;

// eslint-disable-next-line max-lines-per-function -- the markup of one page
export function ConfigurationPage(): JSX.Element {
  const config = usePolled<{ entries: ConfigEntry[] }>('/debug/api/config', PERIOD_MS);
  const standard = usePolled<SettingsFacts>('/debug/api/config/defaults', 0);
  const [linked, setFilter] = useParameter('filter');
  const [section, setSection] = useParameter('section');
  const filter = linked ?? '';
  const [isChangedOnly, setChangedOnly] = useState(false);
  const [made, setMade] = useState<readonly MadeChange[]>([]);
  const { edited, closed, edit, close } = useEditing();
  const doing = useDoing();
  const reason = useReadOnlyReason();
  const facts = useFacts(standard.data);
  const all = config.data?.entries ?? [];
  const chosen = all.filter(
    (entry) =>
      (!isChangedOnly || isChanged(entry)) && (section === null || sectionOf(entry) === section),
  );
  const rows = filtered(chosen, filter, textOf);
  const set = async (name: string, value: string): Promise<void> => {
    await post('/debug/api/config/set', { name, value });
    close(name);
    await config.again();
  };
  const change = ({ name, value: before }: ConfigEntry, value: string): void =>
    doing.run(async () => {
      const { check } = await post<{ check: SettingCheck }>('/debug/api/config/check', {
        name,
        value,
      });
      await set(name, value);
      // The value of a secret is not known, so that it cannot be set again.
      if (before !== HIDDEN) setMade(withChange(made, { name, before, after: check.after }));
      return `${name} changed until the next restart.`;
    });
  const undo = ({ name, before }: MadeChange): void =>
    doing.run(async () => {
      await set(name, before);
      setMade(made.filter((each) => each.name !== name));
      return `${name} set back to ${shownValue(before)}.`;
    });
  const valueColumn: Column<ConfigEntry> = {
    name: 'value',
    title: 'Value',
    value: ({ value }) => value,
    show: (entry) =>
      edited === entry.name ? (
        <Editor
          entry={entry}
          facts={facts.get(entry.name)}
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
          <Sections entries={all} chosen={section} choose={setSection} />
          <OnlyChanged isChosen={isChangedOnly} choose={setChangedOnly} />
          <Filter label="Filter settings" value={filter} change={setFilter} />
        </>
      }
    >
      <Problem text={doing.problem} />
      <Done text={doing.done} />
      <UndoList changes={made} isBusy={doing.isBusy} undo={undo} />
      <Table
        caption="Settings"
        columns={[nameColumn, valueColumn, defaultColumn(facts), unitColumn(facts), ...columns]}
        rows={rows}
        keyOf={({ name }) => name}
        order={{ column: 'name', isDescending: false }}
        empty="No setting matches."
        rowsMax={1_000}
      />
    </Panel>
  );
}

type Facts = ReadonlyMap<string, SettingFacts>;

function useFacts(document: SettingsFacts | null): Facts {
  return useMemo(
    () => new Map(document?.settings.map((setting) => [setting.name, setting])),
    [document],
  );
}

function sectionOf({ name }: ConfigEntry): string {
  return name.split('.')[0] ?? '';
}

interface SectionsProps {
  readonly entries: readonly ConfigEntry[];
  readonly chosen: string | null;
  readonly choose: (section: string | null) => void;
}

function Sections({ entries, chosen, choose }: SectionsProps): JSX.Element {
  const sections = [...new Set(entries.map(sectionOf))];
  return (
    <label>
      Section{' '}
      <select value={chosen ?? ''} onChange={(event) => choose(event.currentTarget.value || null)}>
        <option value="">all</option>
        {sections.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
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

/** Sources of values in words. */
const SOURCES: Readonly<Record<string, string>> = {
  default: 'default',
  file: 'file',
  env: 'environment',
  cli: 'command line',
  runtime: 'CONFIG SET',
};

const columns: readonly Column<ConfigEntry>[] = [
  {
    name: 'source',
    title: 'Source',
    value: ({ source }) => source,
    show: ({ source }) => (
      <span class={source === 'default' ? 'faint' : 'accent'}>{SOURCES[source] ?? source}</span>
    ),
  },
  {
    name: 'description',
    title: 'Description',
    isWide: true,
    show: ({ description }) => <span class="prose">{description}</span>,
  },
];

function defaultColumn(facts: Facts): Column<ConfigEntry> {
  return {
    name: 'default',
    title: 'Default',
    value: ({ name }) => facts.get(name)?.default,
    show: ({ name }) => <code class="standard faint">{shownValue(facts.get(name)?.default)}</code>,
  };
}

function unitColumn(facts: Facts): Column<ConfigEntry> {
  return {
    name: 'unit',
    title: 'Unit',
    value: ({ name }) => facts.get(name)?.unit,
    show: ({ name }) => (
      <span class="faint" title={facts.get(name)?.allowed}>
        {facts.get(name)?.unit ?? ''}
      </span>
    ),
  };
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
