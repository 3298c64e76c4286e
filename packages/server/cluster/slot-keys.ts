/** Keys of a slot on this node, asked of the shard that has it step by step. */

import { shardOfSlot, type Bytes } from '#base';
import type { ShardCalls } from '#router';
import { walkSlotCall } from '#stats';

const STEP_MS_MAX = 10_000;

export class SlotKeys {
  readonly #shardCalls: Pick<ShardCalls, 'askOne'>;
  readonly #shardCount: number;

  constructor(shardCalls: Pick<ShardCalls, 'askOne'>, shardCount: number) {
    this.#shardCalls = shardCalls;
    this.#shardCount = shardCount;
  }

  async count(slot: number): Promise<number> {
    let total = 0;
    for await (const step of this.#walk(slot, 0)) total += step.found;
    return total;
  }

  /** At most so many keys of a slot. */
  async some(slot: number, count: number): Promise<readonly Bytes[]> {
    if (count === 0) return [];
    const keys = new Map<string, Bytes>();
    for await (const step of this.#walk(slot, count)) {
      for (const key of step.keys) keys.set(Buffer.from(key).toString('latin1'), key);
      if (keys.size >= count) break;
    }
    return [...keys.values()].slice(0, count);
  }

  async *#walk(slot: number, count: number) {
    const shard = shardOfSlot(slot, this.#shardCount);
    let cursor = 0;
    do {
      const how = { question: { slot, cursor, count }, timeoutMs: STEP_MS_MAX };
      const report = await this.#shardCalls.askOne(shard, walkSlotCall, how);
      if (report.missing) throw new Error(`shard ${shard} does not answer`);
      yield report.answer;
      ({ cursor } = report.answer);
    } while (cursor !== 0);
  }
}
