/** Wait of a bystander while a large value is copied, within a shard and to another. */

import { type ChildServer, largeValues } from '#testkit';
import { longestStallWhile } from './growth.ts';

/** A copy's turns: the median would hide what one of them shows. */
const TURNS = 3;
/** The bystander asks for this long beside nothing but the copy, or what stands for it. */
const REST_MS = 100;

/** Number for which all shards have some. */
const BYSTANDERS = 4;
const ELEMENTS = 1_000_000;
const SPIN_MS = 50;

/** Milliseconds by type: the longest wait of all turns, and how long the copy itself took at the median. */
type BlockedClients = Record<string, { readonly longestMs: number; readonly copyMs: number }>;

/**
 * Copies a value of each type to a key of the same slot, or of another: where there are two shards, the slots of `{a}`
 * and `{k}` lie on different ones.
 */
async function copyWaits(
  server: ChildServer,
  count: number,
  target: 'beside' | 'elsewhere',
): Promise<BlockedClients> {
  const client = await server.client({ waitMs: 600_000 });
  const blockedClients: BlockedClients = {};
  for (const [type, make] of Object.entries(largeValues)) {
    const from = `{a}${type}`;
    const to = target === 'beside' ? '{a}copy' : '{k}copy';
    await make(client, from, count);
    const longest: number[] = [];
    const took: number[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const copy = async (): Promise<void> => {
        const beganMs = performance.now();
        await client.call('COPY', from, to);
        took.push(performance.now() - beganMs);
        await new Promise((resolve) => setTimeout(resolve, REST_MS));
      };
      const { longestMs } = await longestStallWhile(server.port, copy, BYSTANDERS);
      longest.push(longestMs);
      await client.call('UNLINK', to);
    }
    await client.call('UNLINK', from);
    const [, copyMs = 0] = took.sort((a, b) => a - b);
    blockedClients[type] = { longestMs: Math.max(...longest), copyMs };
  }
  return blockedClients;
}

/** Measures waits beside a thread that only spins, for the time of a copy: the effect of the machine itself. */
async function spinWaits(server: ChildServer): Promise<BlockedClients> {
  const longest: number[] = [];
  // The first turn is the server's warm-up, which the making of a value is to the copies.
  for (let turn = 0; turn <= TURNS; turn += 1) {
    const spin = async (): Promise<void> => {
      const endMs = performance.now() + SPIN_MS;
      while (performance.now() < endMs);
      await new Promise((resolve) => setTimeout(resolve, REST_MS));
    };
    const { longestMs } = await longestStallWhile(server.port, spin, BYSTANDERS);
    if (turn > 0) longest.push(longestMs);
  }
  return { spin: { longestMs: Math.max(...longest), copyMs: SPIN_MS } };
}

/** Both ways on a fresh server of each contender; answers the figures. */
export async function copies(
  each: (
    act: (server: ChildServer) => Promise<BlockedClients>,
  ) => Promise<Partial<Record<string, BlockedClients>>>,
  scale: number,
  row: (cells: readonly (string | number)[]) => void,
): Promise<Record<string, unknown>> {
  const count = ELEMENTS * scale;
  const table: Record<string, unknown> = { elements: count };
  row(['copies', 'of', 'longest ms', 'copy ms']);
  for (const target of ['beside', 'elsewhere', 'nothing'] as const) {
    const results = await each((server) =>
      target === 'nothing' ? spinWaits(server) : copyWaits(server, count, target),
    );
    table[target] = results;
    for (const [name, waits = {}] of Object.entries(results)) {
      for (const [type, { longestMs, copyMs }] of Object.entries(waits)) {
        row([`${name} ${target}`, type, longestMs, copyMs]);
      }
    }
  }
  return table;
}
