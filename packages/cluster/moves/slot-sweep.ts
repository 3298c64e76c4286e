/** Drops keys of slots that this node does not serve: they are in the log and with replicas as any keys that are deleted. */

import { commandBytes } from '#resp';
import type { Router } from '#router';
import { type SlotSweep, sweepSlotsCall, type WalkPlace } from '#stats';
import type { SlotSpan } from '../agreement/documents/documents.ts';
import { runOwnCommands } from '../slots/own-commands.ts';

const STEP_MS_MAX = 10_000;

interface SlotSweepOptions {
  readonly own: Parameters<typeof runOwnCommands>[0] & { readonly router: Router };
  readonly shardCount: number;
  /** False when they are not to be dropped any more. */
  readonly isWanted: () => boolean;
}

/** Drops all keys of slots; answers how many, or undefined where that was not wanted any more. */
export async function sweepSlots(
  spans: readonly SlotSpan[],
  options: SlotSweepOptions,
): Promise<number | undefined> {
  let total = 0;
  for (let shard = 0; shard < options.shardCount; shard += 1) {
    for (;;) {
      const dropped = await sweepShard(spans, shard, options);
      if (dropped === undefined) return undefined;
      total += dropped;
      // A walk during which keys go may miss some.
      if (dropped === 0) break;
    }
  }
  return total;
}

async function sweepShard(
  spans: readonly SlotSpan[],
  shard: number,
  { own, isWanted }: SlotSweepOptions,
): Promise<number | undefined> {
  let dropped = 0;
  let place: WalkPlace | null = { database: 0, cursor: 0 };
  while (place !== null) {
    const how: { question: SlotSweep; timeoutMs: number } = {
      question: { spans, place },
      timeoutMs: STEP_MS_MAX,
    };
    const report = await own.router.shardCalls.askOne(shard, sweepSlotsCall, how);
    if (report.missing) throw new Error(`shard ${shard} did not reply in time`);
    const { next, database, keys } = report.answer;
    place = next;
    if (!isWanted()) return undefined;
    if (keys.length === 0) continue;
    const select = commandBytes(['SELECT', String(database)]);
    await runOwnCommands(own, Buffer.concat([select, commandBytes(['UNLINK', ...keys])]));
    dropped += keys.length;
  }
  return dropped;
}
