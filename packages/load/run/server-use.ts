/** Cost of a load to a server, from the server's own figures before and after. */

import type { ServerReading } from './server-session.ts';

const US_PER_S = 1_000_000;

/** Calls of a command, as the server has counted them. */
interface CommandUse {
  readonly calls: number;
  /** Microseconds of execution. */
  readonly us: number;
}

/** Processor time of a thread, in microseconds. */
interface ThreadCpu {
  readonly name: string;
  readonly cpuUs: number;
}

interface ShardUse {
  readonly shard: number;
  readonly commands: number;
  /** Requests by band, each without those of the bands before; all 0 where bands are off. */
  readonly bands: Readonly<Record<string, number>>;
}

/** Use of a server. */
export interface ServerUse {
  readonly address: string;
  /** Name and version. */
  readonly server: string;
  /** Commands that it has run meanwhile, of the load and of others; undefined if it may not be asked. */
  readonly commands: number | undefined;
  readonly cpuUs: number | undefined;
  readonly byCommand: Readonly<Record<string, CommandUse>>;
  /** Threads that the server lists by name; empty for others. */
  readonly threads: readonly ThreadCpu[];
  readonly shards: readonly ShardUse[];
  readonly missing: readonly string[];
}

/** Returns the differences of two readings. */
export function serverUse(before: ServerReading, after: ServerReading): ServerUse {
  const names = ['used_cpu_sys', 'used_cpu_user'];
  const growth = (name: string): number => numberOf(after, name) - numberOf(before, name);
  const seconds = names.reduce((sum, name) => sum + growth(name), 0);
  const commands = growth('total_commands_processed');
  return {
    address: after.address,
    server: nameOf(after),
    commands: Number.isNaN(commands) ? undefined : commands,
    cpuUs: Number.isNaN(seconds) ? undefined : seconds * US_PER_S,
    byCommand: commandUses(before, after),
    threads: threadUses(before, after),
    shards: after.shards.map(({ commands: count, bands }, shard) => {
      const was = before.shards[shard];
      return {
        shard,
        commands: count - (was?.commands ?? 0),
        bands: Object.fromEntries(
          Object.entries(bands).map(([label, value]) => [label, value - (was?.bands[label] ?? 0)]),
        ),
      };
    }),
    missing: after.missing,
  };
}

/**
 * Processor time of all servers for each command that they ran, or got of the load if that is more: refused commands are not
 * among those that they count. Undefined where it is unknown for one of them.
 */
export function cpuUsPerCommand(uses: readonly ServerUse[], sent = 0): number | undefined {
  let us = 0;
  let commands = 0;
  for (const use of uses) {
    if (use.cpuUs === undefined || use.commands === undefined) return undefined;
    us += use.cpuUs;
    commands += use.commands;
  }
  const divisor = Math.max(commands, sent);
  return divisor > 0 ? us / divisor : undefined;
}

function numberOf({ info }: ServerReading, name: string): number {
  return Number(info?.get(name) ?? NaN);
}

function nameOf({ info }: ServerReading): string {
  const own = info?.get('svc_version');
  if (own !== undefined) return `svc ${own}`;
  const valkey = info?.get('valkey_version');
  if (valkey !== undefined) return `Valkey ${valkey}`;
  const redis = info?.get('redis_version');
  return redis === undefined ? 'unknown' : `Redis ${redis}`;
}

function commandUses(before: ServerReading, after: ServerReading): Record<string, CommandUse> {
  const uses: Record<string, CommandUse> = {};
  for (const [field, text] of after.info ?? []) {
    if (!field.startsWith('cmdstat_')) continue;
    const [was, is] = [statOf(before.info?.get(field)), statOf(text)];
    const calls = is.calls - was.calls;
    if (calls > 0) uses[field.slice('cmdstat_'.length)] = { calls, us: is.us - was.us };
  }
  return uses;
}

function statOf(text = ''): CommandUse {
  const [, calls = '0', us = '0'] = /^calls=(\d+),usec=(\d+)/.exec(text) ?? [];
  return { calls: Number(calls), us: Number(us) };
}

/** svc lists `used_cpu_user_shard_0`, Redis `used_cpu_user_main_thread`. */
function threadUses(before: ServerReading, after: ServerReading): ThreadCpu[] {
  const threads = new Map<string, number>();
  for (const field of after.info?.keys() ?? []) {
    const [, name] = /^used_cpu_(?:sys|user)_(main_thread|shard_\d+)$/.exec(field) ?? [];
    if (name === undefined) continue;
    const us = (numberOf(after, field) - numberOf(before, field)) * US_PER_S;
    threads.set(name, (threads.get(name) ?? 0) + us);
  }
  return [...threads].map(([name, cpuUs]) => ({ name, cpuUs }));
}
