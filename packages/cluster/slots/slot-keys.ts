/** Keys of a slot on this node, asked of the shard that has it step by step. */

import { type Bytes, shardOfSlot, SLOT_COUNT } from '#base';
import type { ShardCalls } from '#router';
import { slotBytesCall, type SlotFigures, slotFiguresCall, walkSlotCall } from '#stats';

const STEP_MS_MAX = 10_000;

export class SlotKeys {
  readonly #shardCalls: Pick<ShardCalls, 'askOne'>;
  readonly #shardCount: number;

  constructor(shardCalls: Pick<ShardCalls, 'askOne'>, shardCount: number) {
    this.#shardCalls = shardCalls;
    this.#shardCount = shardCount;
  }

  async count(slot: number): Promise<number> {
    const [figures] = await this.#figuresOf(shardOfSlot(slot, this.#shardCount), slot, slot);
    return figures?.[1] ?? 0;
  }

  /** Figures of the slots from one to another that have any. */
  async figures(first: number, last: number): Promise<readonly SlotFigures[]> {
    const shards = Array.from({ length: this.#shardCount }, (_, shard) => shard);
    const shares = shards.map((shard) => this.#figuresOf(shard, first, last));
    return (await Promise.all(shares)).flat();
  }

  async #figuresOf(shard: number, first: number, last: number): Promise<readonly SlotFigures[]> {
    const how = { question: { first, last }, timeoutMs: STEP_MS_MAX };
    const report = await this.#shardCalls.askOne(shard, slotFiguresCall, how);
    if (report.missing) throw new Error(`shard ${shard} did not reply in time`);
    return report.answer;
  }

  /** Bytes that the keys of each slot cost, found by a walk through all keys with commands in between. */
  async bytes(): Promise<Float64Array> {
    const total = new Float64Array(SLOT_COUNT);
    for (let shard = 0; shard < this.#shardCount; shard += 1) {
      let cursor = 0;
      do {
        const how = { question: { cursor }, timeoutMs: STEP_MS_MAX };
        const report = await this.#shardCalls.askOne(shard, slotBytesCall, how);
        if (report.missing) throw new Error(`shard ${shard} did not reply in time`);
        for (const [slot, bytes] of report.answer.bytes) total[slot] = total[slot]! + bytes;
        ({ cursor } = report.answer);
      } while (cursor !== 0);
    }
    return total;
  }

  /** Returns at most `count` keys of a slot. */
  async some(slot: number, count: number): Promise<readonly Bytes[]> {
    const total = await this.count(slot);
    if (count === 0 || total === 0) return [];
    const keys = new Map<string, Bytes>();
    for await (const step of this.#walk(slot, Math.min(count, total))) {
      for (const key of step.keys) keys.set(Buffer.from(key).toString('latin1'), key);
      if (keys.size >= Math.min(count, total)) break;
    }
    return [...keys.values()].slice(0, count);
  }

  async *#walk(slot: number, count: number) {
    const shard = shardOfSlot(slot, this.#shardCount);
    let cursor = 0;
    do {
      const how = { question: { slot, cursor, count }, timeoutMs: STEP_MS_MAX };
      const report = await this.#shardCalls.askOne(shard, walkSlotCall, how);
      if (report.missing) throw new Error(`shard ${shard} did not reply in time`);
      yield report.answer;
      ({ cursor } = report.answer);
    } while (cursor !== 0);
  }
}
