/** Kinds of logs of commands: of slow ones, of those with a large request, of those with a large reply. */

/** Kinds, as COMMANDLOG names them. */
export const COMMAND_LOG_KINDS = ['slow', 'large-request', 'large-reply'] as const;

export type CommandLogKind = (typeof COMMAND_LOG_KINDS)[number];

export function isCommandLogKind(word: string): word is CommandLogKind {
  return (COMMAND_LOG_KINDS as readonly string[]).includes(word);
}

/** One value for each kind. */
export type ByLogKind<Value> = Readonly<Record<CommandLogKind, Value>>;

export function byLogKind<Value>(of: (kind: CommandLogKind) => Value): ByLogKind<Value> {
  return {
    slow: of('slow'),
    'large-request': of('large-request'),
    'large-reply': of('large-reply'),
  };
}
