/** `svc-server cluster rebalance`: plans moves of slots between the nodes of a cluster, prints the plan, and runs it. */

import { setTimeout as sleep } from 'node:timers/promises';
import { SLOT_COUNT } from '#base';
import { planMoves, type Holder, type Move } from './rebalance-plan.ts';
import { readSubcommand } from '#config';
import { readLogin, readPort, readToolTls, ReplyClient, type TlsOptions } from '#net';
import { slotsOf } from '../agreement/decisions/migrations.ts';
import type { SlotSpan } from '../agreement/documents/documents.ts';
import type { Reply } from '#resp';
import { addWeights, type Measure } from './slot-weights.ts';

/** Between two questions of how far a move is. */
const LOOK_MS = 200;
const MEASURES: readonly Measure[] = ['keys', 'memory', 'load'];

interface Wish {
  readonly measure: Measure;
  readonly isDryRun: boolean;
  readonly host: string;
  readonly port: number;
  readonly login: readonly string[];
  /** Undefined for connections without TLS. */
  readonly tls: TlsOptions | undefined;
}

/** Primary of a group. */
interface Primary extends Holder {
  readonly host: string;
  readonly port: number;
}

type Print = (line: string) => void;

function readWish(args: readonly string[]): Wish {
  const given = readSubcommand('cluster rebalance', args);
  const measure = MEASURES.find((one) => one === given.text('by'));
  if (measure === undefined) throw new Error('--by must be keys, memory or load');
  return {
    measure,
    isDryRun: given.has('dry-run'),
    host: given.text('host'),
    port: readPort(given.text('port'), '--port'),
    login: readLogin(given),
    tls: readToolTls(given),
  };
}

export async function rebalance(args: readonly string[], print: Print): Promise<void> {
  const wish = readWish(args);
  const first = await connect(wish, wish);
  const clients = new Map<string, ReplyClient>();
  try {
    const primaries = primariesOf(await first.call('CLUSTER', 'SHARDS'), wish);
    const weights = new Float64Array(SLOT_COUNT);
    for (const primary of primaries) {
      const client = await connect(primary, wish);
      clients.set(primary.id, client);
      await addWeights(client, wish.measure, weights);
    }
    const { moves, before, after } = planMoves(primaries, (slot) => weights[slot]!);
    for (const [nth, { id, host, port, slots }] of primaries.entries()) {
      print(
        `${id} ${host}:${port} slots ${slots.length} ${wish.measure} ${before[nth]} -> ${after[nth]}`,
      );
    }
    for (const move of moves) print(`move ${described(move)} ${wish.measure} ${move.weight}`);
    if (moves.length === 0) print('the cluster is balanced: no slots to move');
    if (wish.isDryRun) return;
    for (const move of moves) await run(move, clients.get(move.from)!, print);
    if (moves.length > 0) print(`${moves.length} moves finished`);
  } finally {
    for (const client of [first, ...clients.values()]) client.close();
  }
}

async function connect(
  { host, port }: { readonly host: string; readonly port: number },
  { login, tls }: Wish,
): Promise<ReplyClient> {
  const client = new ReplyClient(host, port, tls);
  if (login.length > 0) await client.call(...login);
  return client;
}

/** Primaries in a reply of CLUSTER SHARDS; without an announced address, the address of the connection is used. */
function primariesOf(reply: Reply, wish: Wish): readonly Primary[] {
  return (reply as readonly Reply[]).map((shard) => {
    const { slots, nodes } = fieldsOf(shard);
    const members = (nodes as readonly Reply[]).map(fieldsOf);
    const primary = members.find(({ role }) => role === 'master');
    if (primary?.['health'] !== 'online') {
      throw new Error(`the primary ${String(primary?.['id'] ?? 'of a group')} is down`);
    }
    const { id, ip } = primary;
    const port = primary[wish.tls === undefined ? 'port' : 'tls-port'];
    if (port === undefined) {
      const kind = wish.tls === undefined ? 'without TLS; use --tls' : 'with TLS';
      throw new Error(`node ${String(id)} has no port ${kind}`);
    }
    const bounds = slots as readonly number[];
    const spans = Array.from({ length: bounds.length / 2 }, (_, nth): SlotSpan => [
      bounds[2 * nth]!,
      bounds[2 * nth + 1]!,
    ]);
    const host = ip === '' || ip === undefined ? wish.host : String(ip);
    return { id: String(id), host, port: Number(port), slots: slotsOf(spans) };
  });
}

/** Fields of a map as RESP2 has them. */
function fieldsOf(reply: Reply): Readonly<Record<string, Reply>> {
  const list = reply as readonly Reply[];
  return Object.fromEntries(
    Array.from({ length: list.length / 2 }, (_, nth) => [
      String(list[2 * nth]),
      list[2 * nth + 1]!,
    ]),
  );
}

function rangesOf({ spans }: Move): readonly string[] {
  return spans.map(([first, last]) => `${first}-${last}`);
}

function described(move: Move): string {
  return `${rangesOf(move).join(',')} from ${move.from} to ${move.to}`;
}

/** Runs a migration to its end, and prints each change of its progress. */
async function run(move: Move, source: ReplyClient, print: Print): Promise<void> {
  const id = await source.call('CLUSTER', 'MIGRATE-SLOTS', ...rangesOf(move), 'TO', move.to);
  let reported = '';
  for (;;) {
    const all = (await source.call('CLUSTER', 'GETSLOTMIGRATIONS')) as readonly Reply[];
    const found = all.map(fieldsOf).find(({ name }) => name === id);
    if (found === undefined) throw new Error(`the source does not report move ${String(id)}`);
    const { state, message, keys, bytes, remaining_repl_size: lag, pause_ms: pause } = found;
    const line = `${String(state)} keys ${String(keys)} bytes ${String(bytes)} lag ${String(lag)}`;
    if (line !== reported) print(`  ${line}`);
    reported = line;
    if (state === 'failed' || state === 'cancelled') {
      throw new Error(`the move ${described(move)} ended: ${String(message)}`);
    }
    if (state === 'success') {
      print(`  done ${described(move)}, writes paused for ${String(pause)} ms`);
      return;
    }
    await sleep(LOOK_MS);
  }
}
