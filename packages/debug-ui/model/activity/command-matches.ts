/** Entries of other documents that belong to a command of the commands page. */

/** Returns true if words as a client sent them call a command, which is named as `client|list` or `get`. */
export function isCallOf(command: string, words: readonly string[]): boolean {
  const [name, subcommand] = command.split('|');
  const [first = '', second = ''] = words;
  if (first.toLowerCase() !== name) return false;
  return subcommand === undefined || second.toLowerCase() === subcommand;
}

export interface CallerCount {
  readonly address: string;
  readonly name: string;
  readonly entries: number;
  readonly us: number;
}

interface SlowCall {
  readonly client_addr: string;
  readonly client_name: string;
  readonly duration_us: number;
}

/** Returns the clients of slow entries, those with most time first. */
export function callersOf(entries: readonly SlowCall[]): readonly CallerCount[] {
  const callers = new Map<string, CallerCount>();
  for (const { client_addr: address, client_name: name, duration_us: us } of entries) {
    const key = `${address} ${name}`;
    const known = callers.get(key) ?? { address, name, entries: 0, us: 0 };
    callers.set(key, { ...known, entries: known.entries + 1, us: known.us + us });
  }
  return [...callers.values()].sort((a, b) => b.us - a.us);
}
