/** Changes made on the page, the latest first, each with a button that takes it back. */

import type { JSX } from 'preact';
import { ActionButton } from '../../scope.tsx';
import { shownValue } from './editor.tsx';

export interface MadeChange {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

interface UndoListProps {
  readonly changes: readonly MadeChange[];
  readonly isBusy: boolean;
  readonly undo: (change: MadeChange) => void;
}

export function UndoList({ changes, isBusy, undo }: UndoListProps): JSX.Element | null {
  if (changes.length === 0) return null;
  return (
    <ul class="made" aria-label="Changes made on this page">
      {changes.map((change) => (
        <li key={change.name}>
          <code>{change.name}</code>: <code>{shownValue(change.before)}</code> →{' '}
          <code>{shownValue(change.after)}</code>{' '}
          <ActionButton
            type="button"
            class="small"
            aria-label={`Undo the change of ${change.name}`}
            disabled={isBusy}
            onClick={() => undo(change)}
          >
            Undo
          </ActionButton>
        </li>
      ))}
    </ul>
  );
}

/** Adds a change; of several changes of one setting the first value is the one to return to. */
export function withChange(
  changes: readonly MadeChange[],
  { name, before, after }: MadeChange,
): readonly MadeChange[] {
  const known = changes.find((each) => each.name === name);
  const others = changes.filter((each) => each.name !== name);
  const first = known?.before ?? before;
  return first === after ? others : [{ name, before: first, after }, ...others];
}
