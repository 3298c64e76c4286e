/** Forms in which a command takes, or answers, the time at which a key or a field ends. */

import type { ArgumentDoc } from '../../definition/definition.ts';

export interface TimeForm {
  /** The word before the time, where it is an option. */
  readonly word: 'EX' | 'PX' | 'EXAT' | 'PXAT';
  readonly doc: Readonly<Pick<ArgumentDoc, 'name' | 'type'>>;
  readonly unitMs: 1 | 1000;
  /** True for a Unix time; false for a time to live. */
  readonly absolute: boolean;
}

export const SECONDS: TimeForm = {
  word: 'EX',
  doc: { name: 'seconds', type: 'integer' },
  unitMs: 1000,
  absolute: false,
};

export const MILLISECONDS: TimeForm = {
  word: 'PX',
  doc: { name: 'milliseconds', type: 'integer' },
  unitMs: 1,
  absolute: false,
};

export const UNIX_SECONDS: TimeForm = {
  word: 'EXAT',
  doc: { name: 'unix-time-seconds', type: 'unix-time' },
  unitMs: 1000,
  absolute: true,
};

export const UNIX_MILLISECONDS: TimeForm = {
  word: 'PXAT',
  doc: { name: 'unix-time-milliseconds', type: 'unix-time' },
  unitMs: 1,
  absolute: true,
};

export const TIME_FORMS = [SECONDS, MILLISECONDS, UNIX_SECONDS, UNIX_MILLISECONDS] as const;

/** The forms as options, for COMMAND DOCS. */
export const timeOptions: readonly ArgumentDoc[] = TIME_FORMS.map(({ doc, word }) => {
  return { ...doc, token: word };
});
