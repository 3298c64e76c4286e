/** Replies of several shards that are combined into one reply. */

import { type Bytes, CommandError, latin1 } from '#base';
import type { ByKeyCommand, EveryShardCommand, SplitPlan } from '#commands';
import type { ReplyWriter } from '#resp';
import type { Client } from '../clients/client.ts';
import type { KeptCommand } from './kept-command.ts';
import type { Sequenced } from '../order/sequence-table.ts';

type Gathered = ByKeyCommand<never> | EveryShardCommand<never>;

/** Options of a gather: its command, its client and its shards. */
export interface GatherOptions {
  client: Client;
  sequence: number;
  command: Gathered;
  commandId: number;
  /** Shards that are asked, in the order of the parts. */
  shards: readonly number[];
  plan: SplitPlan;
  isMuted: boolean;
  database: number;
  /** Time at which the command was taken up, in monotonic microseconds. */
  takenUs: number;
  /** For the logs of commands. */
  kept: KeptCommand | undefined;
}

/** Times of a part, in its phases. */
interface PartTimes {
  readonly queueUs: number;
  readonly executeTicks: number;
  readonly durableUs: number;
}

export class Gather implements Sequenced<Gather> {
  readonly client: Client;
  readonly slot: number;
  readonly sequence: number;
  next: Gather | undefined;
  readonly commandId: number;
  readonly isMuted: boolean;
  readonly database: number;
  readonly takenUs: number;
  readonly kept: KeptCommand | undefined;
  /** The slowest part's time of execution, and whose it was; the longest that one was queued, and waited for the disk. */
  executeTicks = 0;
  slowestShard = 0;
  queueUs = 0;
  durableUs = 0;
  /** Monotonic microseconds: when its parts were asked for. */
  sinceUs = 0;
  /** Error of a command that a shard has refused before its part was started. */
  refusal: CommandError | undefined;
  readonly #command: Gathered;
  readonly #plan: SplitPlan;
  /** Pieces of each part. */
  readonly #parts: Bytes[][];
  readonly #isWhole: boolean[];
  /** Shards that were asked, in the order of the parts. */
  readonly #shards: readonly number[];
  #missing: number;
  #error: CommandError | undefined;

  constructor(options: GatherOptions) {
    this.client = options.client;
    this.slot = options.client.slot;
    this.sequence = options.sequence;
    this.commandId = options.commandId;
    this.isMuted = options.isMuted;
    this.database = options.database;
    this.takenUs = options.takenUs;
    this.kept = options.kept;
    this.#command = options.command;
    this.#plan = options.plan;
    this.#shards = options.shards;
    this.#parts = options.shards.map(() => []);
    this.#isWhole = options.shards.map(() => false);
    this.#missing = options.shards.length;
  }

  get shardCount(): number {
    return this.#parts.length;
  }

  /** Takes how long a shard's part was queued and executed, and waited for the disk. */
  time(shard: number, { queueUs, executeTicks, durableUs }: PartTimes): void {
    this.queueUs = Math.max(this.queueUs, queueUs);
    this.durableUs = Math.max(this.durableUs, durableUs);
    if (executeTicks < this.executeTicks) return;
    this.executeTicks = executeTicks;
    this.slowestShard = shard;
  }

  /** Adds a piece of an incomplete reply of a shard, whose memory is handed over. */
  addPiece(shard: number, piece: Bytes): void {
    this.#parts[this.#shards.indexOf(shard)]?.push(piece);
  }

  /** Takes a shard's answer, or the last piece of it; true when it was the last. */
  add(shard: number, body: Bytes, isError: boolean): boolean {
    const part = this.#shards.indexOf(shard);
    if (part >= 0 && !this.#isWhole[part]!) {
      this.#isWhole[part] = true;
      this.#parts[part]!.push(body);
      this.#missing -= 1;
      if (isError) this.#error ??= errorFrom(body);
    }
    return this.#missing === 0;
  }

  /** Takes that a shard will not do its part, which refuses the whole; true when it was the last part. */
  refuse(shard: number, error: CommandError): boolean {
    this.refusal ??= error;
    return this.add(shard, new Uint8Array(0), false);
  }

  /** Writes the reply, once all parts have arrived. */
  write(reply: ReplyWriter): void {
    if (this.#error !== undefined) {
      reply.error(this.#error);
      return;
    }
    const { merge } = this.#command;
    const decoded = this.#parts.map((pieces) => merge.part.decode(pieces));
    merge.combine(decoded, reply, this.#plan);
  }
}

/** The error in a finished RESP error line. */
function errorFrom(line: Bytes): CommandError {
  return new CommandError(latin1(line, 1, line.length - 3));
}
