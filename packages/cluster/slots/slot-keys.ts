/** Keys of a slot on this node, asked of the shard that has it step by step. */

import { type Bytes, shardOfSlot, SLOT_COUNT } from '#base';
import type { SlotScan, SlotScanStep } from '#commands';
import type { ShardCalls } from '#router';
import {
  countSlotCall,
  scanSlotsCall,
  slotBytesCall,
  type SlotFigures,
  slotFiguresCall,
  type WalkPlace,
  walkSlotCall,
} from '#stats';

const STEP_MS_MAX = 10_000;

export class SlotKeys {
  readonly #shardCalls: Pick<ShardCalls, 'askOne'>;
  readonly #shardCount: number;

  constructor(shardCalls: Pick<ShardCalls, 'askOne'>, shardCount: number) {
    this.#shardCalls = shardCalls;
    this.#shardCount = shardCount;
  }

  /** Number of keys of a slot in one database, or in all for null. */
  async count(slot: number, database: number | null): Promise<number> {
    const shard = shardOfSlot(slot, this.#shardCount);
    const how = { question: { slot, database }, timeoutMs: STEP_MS_MAX };
    const report = await this.#shardCalls.askOne(shard, countSlotCall, how);
    if (report.missing) throw new Error(`shard ${shard} did not reply in time`);
    return report.answer;
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
      let place: WalkPlace | null = { database: 0, cursor: 0 };
      while (place !== null) {
        const how: { question: WalkPlace; timeoutMs: number } = {
          question: place,
          timeoutMs: STEP_MS_MAX,
        };
        const report = await this.#shardCalls.askOne(shard, slotBytesCall, how);
        if (report.missing) throw new Error(`shard ${shard} did not reply in time`);
        for (const [slot, bytes] of report.answer.bytes) total[slot] = total[slot]! + bytes;
        place = report.answer.next;
      }
    }
    return total;
  }

  /** Returns at most `count` keys of a slot in a database. */
  async some(slot: number, database: number, count: number): Promise<readonly Bytes[]> {
    const total = await this.count(slot, database);
    if (count === 0 || total === 0) return [];
    const keys = new Map<string, Bytes>();
    for await (const step of this.#walk(slot, database, Math.min(count, total))) {
      for (const key of step.keys) keys.set(Buffer.from(key).toString('latin1'), key);
      if (keys.size >= Math.min(count, total)) break;
    }
    return [...keys.values()].slice(0, count);
  }

  /** Takes a step of a walk through a range of slots that one shard has. */
  async scan(scan: SlotScan): Promise<SlotScanStep> {
    const how = { question: scan, timeoutMs: STEP_MS_MAX };
    const shard = shardOfSlot(scan.first, this.#shardCount);
    const report = await this.#shardCalls.askOne(shard, scanSlotsCall, how);
    if (report.missing) throw new Error(`shard ${shard} did not reply in time`);
    return report.answer;
  }

  async *#walk(slot: number, database: number, count: number) {
    const shard = shardOfSlot(slot, this.#shardCount);
    let cursor = 0;
    do {
      const how = { question: { slot, database, cursor, count }, timeoutMs: STEP_MS_MAX };
      const report = await this.#shardCalls.askOne(shard, walkSlotCall, how);
      if (report.missing) throw new Error(`shard ${shard} did not reply in time`);
      yield report.answer;
      ({ cursor } = report.answer);
    } while (cursor !== 0);
  }
}
