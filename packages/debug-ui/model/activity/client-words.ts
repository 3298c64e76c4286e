/** States of a client in words: its flags, its current command, and its wait. */

import type { ClientEntry } from '../api.ts';
import { visible, visibleBytes, visibleKey } from '../escape.ts';
import { counted } from '../format.ts';

/** Words for the letters of CLIENT LIST. */
const FLAGS: Readonly<Record<string, string>> = {
  O: 'monitor',
  S: 'replica',
  M: 'primary',
  P: 'pub/sub',
  x: 'transaction',
  b: 'blocked',
  t: 'tracking',
  R: 'tracking without target',
  B: 'broadcast tracking',
  c: 'closing',
  U: 'Unix socket',
  e: 'no-evict',
  T: 'no-touch',
};

/** Returns flags in words; empty for a client without any. */
export function flagWords(flags: string): string {
  return Array.from(flags)
    .filter((letter) => letter !== 'N')
    .map((letter) => FLAGS[letter] ?? letter)
    .join(', ');
}

type Current = Pick<ClientEntry, 'blocked' | 'last_command' | 'pending_commands'>;

/** Returns what a client is doing: `idle`, the running command, or what its command waits for. */
export function stateOf({
  blocked,
  last_command: last,
  pending_commands: pending,
}: Current): string {
  const command = last === null ? 'a command' : visible(last);
  if (blocked !== null) return waitOf(blocked, command);
  if (pending === 0) return 'idle';
  return pending === 1 ? `runs ${command}` : `${counted(pending, 'command')} in flight`;
}

function waitOf(blocked: NonNullable<ClientEntry['blocked']>, command: string): string {
  if (blocked.by === 'pause') return 'held back by CLIENT PAUSE';
  if (blocked.key === null) return `${command} waits for its reply`;
  const shown = blocked.binary ? visibleBytes(blocked.key) : visibleKey(blocked.key);
  const key = blocked.cut ? `${shown}…` : shown;
  const more = blocked.keys - 1;
  return `${command} waits for ${key}${more > 0 ? ` and ${counted(more, 'more key')}` : ''}`;
}

export const GROUPINGS = ['name', 'library', 'address', 'user'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** Returns the group of a client; an address is grouped without its port. */
export function groupOf(client: ClientEntry, by: Grouping): string {
  switch (by) {
    case 'name':
      return client.name;
    case 'library':
      return `${client.lib_name} ${client.lib_ver}`.trim();
    case 'address':
      return client.addr.replace(/:\d+$/, '');
    case 'user':
      return client.user;
  }
}

export interface ClientGroup {
  readonly group: string;
  readonly clients: number;
  readonly blocked: number;
  /** Commands per second; null before it is measured. */
  readonly rate: number | null;
  readonly memoryBytes: number;
  readonly unsentBytes: number;
}

/** Sums clients by group, the largest group first; `rates` are by client id. */
export function groupsOf(
  clients: readonly ClientEntry[],
  by: Grouping,
  rates: ReadonlyMap<string, number>,
): readonly ClientGroup[] {
  const groups = new Map<string, ClientGroup>();
  for (const client of clients) {
    const group = groupOf(client, by);
    const rate = rates.get(String(client.id)) ?? null;
    groups.set(group, withClient(groups.get(group) ?? emptyGroup(group), client, rate));
  }
  return [...groups.values()].sort((a, b) => b.clients - a.clients);
}

function emptyGroup(group: string): ClientGroup {
  return { group, clients: 0, blocked: 0, rate: null, memoryBytes: 0, unsentBytes: 0 };
}

function withClient(sum: ClientGroup, client: ClientEntry, rate: number | null): ClientGroup {
  return {
    group: sum.group,
    clients: sum.clients + 1,
    blocked: sum.blocked + Number(client.blocked !== null),
    rate: rate === null ? sum.rate : (sum.rate ?? 0) + rate,
    memoryBytes: sum.memoryBytes + client.memory_bytes,
    unsentBytes: sum.unsentBytes + client.output_buffer_bytes,
  };
}
