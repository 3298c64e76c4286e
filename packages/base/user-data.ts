/**
 * User data in records of the log: names and values that clients send. The table below is the only place that knows which
 * parts of a record they are; lines and crash reports hide them where `logging.hide-user-data` is set.
 */

import type { LogFields, LogRecord } from './log.ts';

/** Text in the place of user data; Valkey's. */
const HIDDEN = '*redacted*';

/** Fields that are user data in every record: names of keys, clients and users, and the filter of a monitor. */
const FIELDS: ReadonlySet<string> = new Set(['key', 'client_name', 'user', 'filter']);

/** Events whose field `error` is the text of a reply, which may quote arguments. */
const QUOTING: ReadonlySet<string> = new Set(['command-refused', 'replica-stream-error']);

/** Messages with user data, by event: each function returns the message without them. */
const MESSAGES: Readonly<Record<string, (message: string) => string>> = {
  // Texts of scripts and of DEBUG LOG.
  'script-log': () => HIDDEN,
  'debug-log': () => HIDDEN,
  'empty-keys-skipped': (message) => message.replace(/: .*$/s, `: ${HIDDEN}`),
  // A key, or the key of a command that runs.
  'limit-began': (message) =>
    message.replace(/^(Limited by one (?:key|command or script)): .*$/s, `$1: ${HIDDEN}`),
  'limit-ended': (message) => message.replace(/(one key) \(.*\) after/s, `$1 (${HIDDEN}) after`),
};

/** Returns a value without user data: null and an empty text stay, as they hold none. */
export function withoutUserData(value: string | null): string | null {
  return value === null || value === '' ? value : HIDDEN;
}

/** Returns a record whose message and fields hold no user data. */
export function recordWithoutUserData(record: LogRecord): LogRecord {
  const { event, message, fields } = record;
  return {
    ...record,
    message: MESSAGES[event]?.(message) ?? message,
    ...(fields === undefined ? {} : { fields: fieldsWithoutUserData(event, fields) }),
  };
}

function fieldsWithoutUserData(event: string, fields: LogFields): LogFields {
  const shown: LogFields = {};
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value !== 'string') shown[name] = value;
    else if (FIELDS.has(name)) shown[name] = withoutUserData(value);
    else shown[name] = name === 'error' && QUOTING.has(event) ? codeOf(value) : value;
  }
  return shown;
}

/** Returns the code that the text of an error reply begins with, such as `WRONGTYPE`. */
function codeOf(error: string): string {
  const [code] = /^[A-Z]+(?= |$)/.exec(error) ?? [];
  return code === undefined ? HIDDEN : `${code} ${HIDDEN}`;
}
