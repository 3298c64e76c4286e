/**
 * One transaction that main runs while all shards are stopped. Its commands are routed as usual; their replies are
 * combined into one reply for the client. It is completed even if the client disconnects: the commands were accepted.
 */

import { type Bytes, type Clock, type CommandError, unreachable } from '#base';
import { Arguments, type CommandEntry } from '#commands';
import type { LinkMemory } from '#link';
import { OwnedReply } from '#resp';
import type { Client } from '../clients/client.ts';
import type { ReplyOutput } from '../clients/client-socket.ts';
import type { KeyDiscovery } from '../routes/key-discovery.ts';
import type { Answers } from '../replies/answers.ts';
import type { Scripts } from '../scripts/scripts.ts';
import type { Routes } from '../routes/routes.ts';
import { pointAt, type CommandQueue, type QueuedCommand } from '../multi/command-queue.ts';

/**
 * Maximum number of commands in flight: their gathers take memory, about 500 bytes each. Each wait for them costs two
 * wake-ups of threads, which take about 100 ms on a busy machine.
 */
const OUTSTANDING_MAX = 4_096;

interface BarrierTransactionOptions {
  readonly client: Client;
  readonly queue: CommandQueue;
  readonly routes: Routes;
  readonly keyDiscovery: KeyDiscovery;
  readonly scripts: Scripts;
  readonly memory: LinkMemory;
  /** Says why the client may not run the command: its rules may have changed since it was queued. */
  refusal(entry: CommandEntry, args: Arguments): CommandError | undefined;
  readonly answers: Pick<Answers, 'reject'>;
  /** A command was sent on. */
  sent(entry: CommandEntry, args: Arguments): void;
  /** Number of shards that will say that they have stopped. */
  readonly shardsToStop: number;
  /** All commands are done: answers how many shards will say that their logs have the end of it. */
  prepare(): number;
  readonly clock: Clock;
  /** The shards may continue; `executeUs` is the time from the first command to the end of the last, at `endUs`. */
  done(executeUs: number, endUs: number): void;
}

export class BarrierTransaction {
  readonly #options: BarrierTransactionOptions;
  readonly #args = new Arguments();
  readonly #collected: CollectedReplies;
  readonly #sequence: number;
  readonly #isMuted: boolean;
  #shardsLeft: number;
  #isBroken = false;
  /** Commands that are not yet sent, the next of them, and its number. */
  readonly #commands: Generator<QueuedCommand, undefined>;
  #at: QueuedCommand | undefined;
  #next = 0;
  #wasExclusive = false;
  /** A command may have had keys lent: its reply comes before they are back. */
  #mayHaveLent = false;
  #isAdvancing = false;
  #hasBegun = false;
  #isPrepared = false;
  #beganUs = 0;

  constructor(options: BarrierTransactionOptions) {
    this.#options = options;
    this.#shardsLeft = options.shardsToStop;
    this.#commands = options.queue.commands();
    this.#at = this.#commands.next().value;
    const { client } = options;
    this.#isMuted = client.session.isMuted;
    client.session.endMuting();
    client.wait.isAtBarrier = true;
    this.#sequence = client.replies.takeSequence();
    this.#collected = new CollectedReplies(options.memory, client);
  }

  /** Begins, as soon as all that was sent before is answered and the shards have stopped. */
  start(): void {
    this.#options.client.wait.answered = () => {
      this.advance();
    };
    this.advance();
  }

  /** One more shard has stopped. */
  stopped(watchBroken: boolean): void {
    this.#shardsLeft -= 1;
    this.#isBroken ||= watchBroken;
    this.advance();
  }

  /** One more shard's log has the end. */
  prepared(): void {
    this.#shardsLeft -= 1;
    this.advance();
  }

  /** Sends what can be sent; ends when all is answered, and in the logs. */
  advance(): void {
    if (this.#isAdvancing || this.#shardsLeft > 0) return;
    this.#isAdvancing = true;
    const { client } = this.#options;
    if (!this.#hasBegun) this.#begin();
    if (this.#hasBegun) {
      while (this.#next < this.#count && this.#send());
      if (this.#next === this.#count && client.replies.outstanding === 0) this.#finish();
    }
    this.#isAdvancing = false;
  }

  get #count(): number {
    return this.#isBroken ? 0 : this.#options.queue.count;
  }

  /** Replies to commands before EXEC are sent first. */
  #begin(): void {
    const { client } = this.#options;
    if (client.replies.dueSequence !== this.#sequence) return;
    this.#hasBegun = true;
    this.#beganUs = this.#options.clock.nowUs();
    const head = new OwnedReply(client.session.protocol);
    if (this.#isBroken) head.nilArray();
    else head.arrayHeader(this.#count);
    client.replies.redirect(this.#collected);
    const bytes = head.take();
    client.replies.deliver(this.#sequence, 1, bytes, 0, bytes.length);
  }

  /** Sends one command; false when it must wait. */
  #send(): boolean {
    const { client, routes, keyDiscovery, scripts } = this.#options;
    const { entry, command } = this.#at ?? unreachable('a command is left');
    const args = this.#args;
    pointAt(args, entry, command);
    const reads = keyDiscovery.concerns(entry, args);
    const isExclusive = reads || this.#runsExclusively(entry);
    if ((isExclusive || this.#wasExclusive) && client.replies.outstanding > 0) return false;
    if (client.replies.outstanding >= OUTSTANDING_MAX) return false;
    this.#mayHaveLent ||=
      entry.script !== undefined || (entry.hasKeys && !entry.firstArgumentIsKey);
    const refusal = this.#options.refusal(entry, args);
    if (refusal !== undefined) {
      this.#options.answers.reject(client, entry, refusal);
      this.#advanceTo(isExclusive);
      return true;
    }
    let isSent: boolean;
    if (reads) isSent = keyDiscovery.send(client, entry, command);
    else if (entry.script === undefined) isSent = routes.send(client, entry, args, command);
    else isSent = scripts.sendAtBarrier(client, entry, args, command);
    if (!isSent) return false;
    this.#options.sent(entry, args);
    this.#advanceTo(isExclusive);
    return true;
  }

  /** True for a command during which no other command of the transaction may be in flight. */
  #runsExclusively(entry: CommandEntry): boolean {
    // Main's own commands see what those before them did. Nothing else may run in the middle of a script.
    if (entry.awaitsReplies || entry.script !== undefined) return true;
    // One that concerns all keys may wait in a shard for keys that are lent, where others must not overtake it.
    return this.#mayHaveLent && !entry.hasKeys;
  }

  #advanceTo(wasExclusive: boolean): void {
    this.#wasExclusive = wasExclusive;
    this.#next += 1;
    this.#at = this.#commands.next().value;
  }

  #finish(): void {
    if (!this.#isPrepared) {
      this.#isPrepared = true;
      this.#shardsLeft = this.#isBroken ? 0 : this.#options.prepare();
    }
    if (this.#shardsLeft === 0) this.#end();
  }

  #end(): void {
    const { client } = this.#options;
    client.wait.answered = undefined;
    client.wait.isAtBarrier = false;
    client.noteWrites();
    client.traces.answered(client.replies.dueSequence);
    client.replies.redirect();
    this.#options.keyDiscovery.forget(client);
    this.#options.scripts.barrierEnded();
    if (!this.#isMuted) this.#collected.moveTo(client.socket.output);
    client.socket.touch();
    client.releasePushes();
    client.endIfAnswered();
    const endUs = this.#options.clock.nowUs();
    this.#options.done(endUs - this.#beganUs, endUs);
  }
}

/** Stores the replies of a client in its own memory. */
class CollectedReplies implements ReplyOutput {
  readonly #memory: LinkMemory;
  readonly #reply: OwnedReply;

  constructor(memory: LinkMemory, client: Client) {
    this.#memory = memory;
    this.#reply = new OwnedReply(client.session.protocol);
  }

  append(at: number, length: number): void {
    this.#reply.raw(this.#memory.bytes, at, length);
  }

  appendBytes(source: Bytes, at: number, length: number): void {
    this.#reply.raw(source, at, length);
  }

  give(bytes: Bytes): void {
    this.#reply.giveRaw(bytes);
  }

  moveTo(output: ReplyOutput): void {
    for (const piece of this.#reply.takeChunks()) output.give(piece);
    const rest = this.#reply.take();
    output.appendBytes(rest, 0, rest.length);
  }
}
