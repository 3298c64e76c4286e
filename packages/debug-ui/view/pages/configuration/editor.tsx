/** Field for a new value of a setting, with a preview of the change. */

import { useState } from 'preact/hooks';
import type { JSX } from 'preact';
import type { ConfigEntry, SettingCheck, SettingFacts } from '../../../model/api.ts';
import { visible } from '../../../model/escape.ts';
import { messageOf, post } from '../../browser.ts';

interface EditorProps {
  readonly entry: ConfigEntry;
  /** Undefined until they are loaded. */
  readonly facts: SettingFacts | undefined;
  readonly isBusy: boolean;
  readonly change: (entry: ConfigEntry, value: string) => void;
  readonly close: () => void;
}

export function Editor({ entry, facts, isBusy, change, close }: EditorProps): JSX.Element {
  const isHidden = entry.value === '(hidden)';
  const kind = isHidden ? ({ type: 'password' } as const) : ({ type: 'text' } as const);
  // The placeholder of a secret must not be sent back as its value.
  const [value, setValue] = useState(isHidden ? '' : entry.value);
  const [preview, setPreview] = useState('');
  return (
    <form
      class="editor"
      onSubmit={(event) => {
        event.preventDefault();
        change(entry, value);
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
        onInput={(event) => {
          setValue(event.currentTarget.value);
          setPreview('');
        }}
      />
      <button disabled={isBusy}>Set</button>
      <button
        type="button"
        onClick={() => void previewOf(entry.name, value).then((text) => setPreview(text))}
      >
        Preview
      </button>
      <button type="button" onClick={close}>
        Cancel
      </button>
      {facts !== undefined && <small class="faint">{facts.allowed}</small>}
      <small role="status" class="preview">
        {preview}
      </small>
    </form>
  );
}

async function previewOf(name: string, value: string): Promise<string> {
  try {
    const { check } = await post<{ check: SettingCheck }>('/debug/api/config/check', {
      name,
      value,
    });
    return check.changed
      ? `${shownValue(check.before)} → ${shownValue(check.after)}`
      : 'No change.';
  } catch (error) {
    return `Refused: ${messageOf(error)}`;
  }
}

export function shownValue(value: string | undefined): string {
  if (value === undefined) return '';
  return value === '' ? '""' : visible(value);
}

function focusOnce(input: HTMLInputElement | null): void {
  if (input === null || input.dataset['seen'] !== undefined) return;
  input.dataset['seen'] = '';
  input.select();
  input.focus();
}
