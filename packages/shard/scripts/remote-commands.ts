/** Commands that a script of another shard runs on this shard, which is stopped for that script. */

import { type Bytes, type Clock, unreachable } from '#base';
import { Request, type ScriptExchange } from '#link';
import { AT, type Page } from '#stats';
import type { Executor } from '../execution/executor.ts';
import { Frame } from '../frames/frame.ts';
import type { KeyEvents } from '../execution/key-events.ts';
import type { ReplySender } from '../frames/reply-sender.ts';
import type { Effects } from '../execution/effects.ts';
import type { ShardArrivals } from '../modules/shard-module.ts';
import type { ShardExchange } from './shard-requests.ts';
import type { KeyUse } from '../observation/key-use.ts';
import type { Lending } from '../lending/lending.ts';

interface RemoteCommandsOptions {
  /** Undefined where scripts reach other shards by way of main only. */
  readonly exchange: ShardExchange | undefined;
  readonly shardIndex: number;
  readonly executor: Executor;
  readonly lending: Lending;
  readonly sender: ReplySender;
  readonly effects: Effects;
  readonly events: KeyEvents;
  readonly page: Page;
  readonly clock: Clock;
  readonly keyUse: KeyUse;
  /** Publishes replies and effects. */
  show(): void;
}

export class RemoteCommands implements ShardArrivals {
  readonly isUrgent = true;
  readonly #options: RemoteCommandsOptions;
  /** Reply of which the host has not taken all pieces. */
  #reply: Bytes | undefined;

  constructor(options: RemoteCommandsOptions) {
    this.#options = options;
  }

  /** True while this shard is stopped for a script of another, which may call commands at any time. */
  get isExpected(): boolean {
    return this.#options.lending.isAtScript;
  }

  /** True when that script wants something. */
  get isDue(): boolean {
    const { lending, exchange, shardIndex } = this.#options;
    if (!lending.isAtScript || exchange === undefined) return false;
    return exchange.exchange.isFor(shardIndex, lending.exclusiveRun);
  }

  /** Runs a requested command and publishes its effects before the script continues; false if there is none. */
  take(): boolean {
    if (!this.isDue) return false;
    const { events } = this.#options;
    const { exchange, wake } = this.#options.exchange ?? unreachable('a script calls');
    const { wanted, host } = exchange;
    if (wanted > 0) {
      this.#give(exchange, this.#reply ?? unreachable('a reply has further pieces'), wanted);
    } else if (events.isOn) {
      // Main has to hear of what happens to keys before it hears of the script's end.
      exchange.refuse();
    } else {
      this.#give(exchange, this.#replyTo(exchange.takeFrame()), 0);
    }
    this.#options.show();
    exchange.end();
    wake(host);
    return true;
  }

  /** Runs a frame's command as one that a script here calls, and logs it. */
  #replyTo(memory: Uint8Array<ArrayBuffer>): Bytes {
    const { executor, sender, effects, page, clock, keyUse } = this.#options;
    executor.nowUs = clock.nowUs();
    executor.readWallClock();
    if (keyUse.isOn) keyUse.begin(executor.nowUs);
    const frame = new Frame(memory, new Int32Array(memory.buffer), 0);
    const entry = executor.point(frame);
    executor.start(frame, entry);
    sender.begin(frame.words[Request.connection]!, frame.sequence);
    executor.makeRoomFor(frame);
    executor.runCalled(frame);
    effects.end(frame);
    const { bytes, at, length } = sender.replyBehindMark();
    const reply = Uint8Array.from(bytes.subarray(at, at + length));
    sender.abandon();
    page.values[AT.executing] = 0;
    return reply;
  }

  #give(exchange: ScriptExchange, reply: Bytes, offset: number): void {
    exchange.write(reply, offset);
    this.#reply = exchange.isWhole(reply) ? undefined : reply;
  }
}
