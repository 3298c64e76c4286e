/** Replies of the shards: taken from the rings, and given to clients in the order of their commands. */

import { asBuffer, type Bytes, ByteSlab, errors, unreachable } from '#base';
import { AT, type Page, TICKS_PER_US, ticksFromWord } from '#stats';
import {
  CONTINUED,
  FrameKind,
  KIND_MASK,
  type LinkMemory,
  Reply,
  ReplyFlag,
  TRANSFERRED,
} from '#link';
import type { Answers } from './answers.ts';
import type { Client } from '../clients/client.ts';
import type { Gather } from './gather.ts';
import type { Gathers } from './gathers.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import { emptyHead, type ShardLink } from '../shards/shard-link.ts';
import type { OfferAnswer } from './offer-answer.ts';

/** Signals of shards besides replies. */
export interface ShardSignals {
  /** A shard's log has the end of a client's transaction that was run at a barrier. */
  prepared(client: Client): void;
  /** A shard has stopped at a barrier for a client's transaction. */
  stopped(client: Client, watchBroken: boolean): void;
  /** A shard has said what of an offer is there. */
  offered(client: Client, sequence: number, answer: OfferAnswer): void;
  /** A client's command waits for its keys. */
  parked(client: Client, sequence: number, timeoutMs: number): void;
  /** A client's wait has ended because main said so. */
  unparked(client: Client, sequence: number): void;
  /** A shard's items of a command that several run. */
  itemsCame(client: Client, sequence: number, body: Bytes): void;
  /** A shard has named keys that a command reads besides; undefined: those named before have changed. */
  named(client: Client, sequence: number, names: Bytes | undefined): void;
  /** A shard has a key that a client waits for on several shards. */
  woken(client: Client, sequence: number, shard: number): void;
  /** Records the times of a shard for a traced command: `length` doubles of the link memory. */
  traced(shard: number, at: number, length: number): void;
  /** A script, or a command that has waited, was denied something. */
  denied(body: Bytes): void;
  /** A client was redirected because its keys are migrating to another node. */
  redirected(body: Bytes): void;
  /** Called for a request of a shard's script, a number of ScriptAsk. */
  asked(shard: number, what: number, body: Bytes): void;
  /** A shard gives a piece of values that are to be moved to another server. */
  valuesGiven(shard: number, transaction: number, piece: Bytes): void;
  /** A shard reports which of the keys to be moved it has. */
  keysFound(shard: number, transaction: number, body: Bytes): void;
  /** Called when a shard has deleted the moved keys; `isSafe` if the deletion is in its log. */
  keysMoved(transaction: number, isSafe: boolean): void;
  /** Called with a shard's reply to a request of main. */
  reported(shard: number, number: number, body: Bytes): void;
  /** Something took long in a shard: the index of the event, microseconds, when it ended. */
  tookLong(shard: number, event: number, us: number, unixMs: number): void;
}

interface RepliesOptions {
  memory: LinkMemory;
  links: readonly ShardLink[];
  clientRegistry: ClientRegistry;
  answers: Answers;
  gathers: Gathers;
  page: Page;
  readonly signals: ShardSignals;
  keyEvents: (body: Bytes) => void;
  readonly replication: FeedTaker;
}

/** Piece of a shard's share of a full synchronisation. */
interface SyncedPiece {
  readonly shard: number;
  readonly bytes: Bytes;
  /** True if its last value continues in the next piece of the shard. */
  readonly goesOn: boolean;
}

/** Takes what shards send for replicas. */
export interface FeedTaker {
  /** Takes a body of a `feed` frame. */
  takeFeed(shard: number, body: Bytes): void;
  /** A piece of the full synchronisation of that number: its last is empty, or says why it has failed. */
  synced(number: number, piece: SyncedPiece, isFault: boolean): void;
  /** All writes of the client are answered; the feeds of shards may contain them in the same turn. */
  wrote(client: Client): void;
  /** All frames that shards have sent so far were processed. */
  drained(): void;
}

export class Replies {
  readonly #feeds = new ByteSlab();
  readonly #memory: LinkMemory;
  readonly #links: readonly ShardLink[];
  readonly #clientRegistry: ClientRegistry;
  readonly #answers: Answers;
  readonly #page: Page;
  readonly #signals: ShardSignals;
  readonly #keyEvents: (body: Bytes) => void;
  readonly #gathers: Gathers;
  readonly #replication: FeedTaker;

  constructor(options: RepliesOptions) {
    const { memory, links, clientRegistry, answers, gathers, page, signals, keyEvents } = options;
    this.#gathers = gathers;
    this.#replication = options.replication;
    this.#signals = signals;
    this.#memory = memory;
    this.#links = links;
    this.#clientRegistry = clientRegistry;
    this.#answers = answers;
    this.#page = page;
    this.#keyEvents = keyEvents;
  }

  /** Takes all replies there are. */
  drain(): void {
    let progress = true;
    while (progress) {
      progress = false;
      for (const link of this.#links) progress = this.#drainLink(link, false) || progress;
    }
    // What is left waits for a slower shard, and must not hold up other clients' replies.
    for (const link of this.#links) {
      this.#drainLink(link, true);
      if (link.replies.release()) link.replies.wakeWriter();
    }
  }

  /** Takes all replies there are, and looks at none. */
  drop(): void {
    const { words } = this.#memory;
    for (const { replies: ring } of this.#links) {
      for (let at = ring.next(); at >= 0; at = ring.next()) {
        ring.advance(words[(at >> 2) + Reply.bytes]!);
      }
      if (ring.release()) ring.wakeWriter();
    }
  }

  /** True when a shard has published something that was not taken. */
  get hasReplies(): boolean {
    for (const link of this.#links) if (link.replies.next() >= 0) return true;
    return false;
  }

  /** Returns true if any frame was processed; stops at a reply that is not due unless `outOfTurn`. */
  #drainLink(link: ShardLink, outOfTurn: boolean): boolean {
    const { words, bytes } = this.#memory;
    const clientRegistry = this.#clientRegistry;
    const ring = link.replies;
    let progress = false;
    for (let at = ring.next(); at >= 0; at = ring.next()) {
      const word = at >> 2;
      const kindWord = words[word + Reply.kind]!;
      if (kindWord === FrameKind.command) {
        const client = clientRegistry.inSlot(words[word + Reply.connection]!)!;
        const { replies } = client;
        const sequence = words[word + Reply.sequence]! >>> 0;
        const count = words[word + Reply.count]!;
        const bodyBytes = words[word + Reply.bodyBytes]!;
        const body = at + (Reply.body << 2);
        if (sequence === replies.dueSequence) replies.deliverShared(count, body, bodyBytes);
        else if (!outOfTurn) return progress;
        else replies.deliver(sequence, count, bytes, body, bodyBytes);
        if (client.socket.isClosed) clientRegistry.finishIfGone(client);
        this.#countReply(words[word + Reply.doneUs]!, count);
      } else {
        this.#takeRare(link, word, kindWord);
      }
      progress = true;
      ring.advance(words[word + Reply.bytes]!);
    }
    return progress;
  }

  /** The reply phase: from the shard's being done to here, where the bytes go to the socket's buffer. */
  #countReply(doneUs: number, count: number): void {
    const us = Math.max((this.#clientRegistry.nowUs - doneUs) | 0, 0);
    this.#page.queued(us * TICKS_PER_US);
    const { values } = this.#page;
    values[AT.replyUs] = values[AT.replyUs]! + us;
    values[AT.replies] = values[AT.replies]! + count;
  }

  #takeRare(link: ShardLink, word: number, kindWord: number): void {
    const { words } = this.#memory;
    if (kindWord === FrameKind.times) {
      this.#signals.traced(
        link.index,
        (word + Reply.body) >> 1,
        words[word + Reply.bodyBytes]! >> 3,
      );
      return;
    }
    const body = this.#bodyOf(link, word, kindWord);
    const slot = words[word + Reply.connection]!;
    const sequence = words[word + Reply.sequence]! >>> 0;
    const isUnsafe = (words[word + Reply.flags]! & ReplyFlag.unsafe) !== 0;
    switch (kindWord & KIND_MASK) {
      case FrameKind.command: {
        const client = this.#clientRegistry.inSlot(slot)!;
        const count = words[word + Reply.count]!;
        client.replies.give(sequence, count, isUnsafe ? repeated(UNSAFE, count) : body);
        this.#clientRegistry.finishIfGone(client);
        break;
      }
      case FrameKind.part:
        if ((kindWord & CONTINUED) !== 0)
          this.#gathers.of(slot, sequence).addPiece(link.index, body);
        else this.#takePart(link, word, this.#gathers.of(slot, sequence), isUnsafe ? UNSAFE : body);
        break;
      case FrameKind.events:
        this.#keyEvents(body);
        break;
      case FrameKind.feed:
        this.#replication.takeFeed(link.index, body);
        break;
      case FrameKind.rdb:
        this.#takeSynced(link.index, word, body);
        break;
      case FrameKind.copies:
      case FrameKind.returned:
        this.#forward(slot, kindWord & KIND_MASK, body);
        break;
      case FrameKind.ask:
        this.#signals.asked(link.index, sequence, body);
        break;
      case FrameKind.denied:
        this.#signals.denied(body);
        break;
      case FrameKind.call:
        this.#signals.reported(link.index, sequence, body);
        break;
      case FrameKind.latency: {
        const numbers = asBuffer(body);
        const [event, us, unixMs] = [0, 8, 16].map((at) => numbers.readDoubleLE(at));
        this.#signals.tookLong(link.index, event!, us!, unixMs!);
        break;
      }
      default:
        this.#takeSignal(link, word, kindWord & KIND_MASK, body);
    }
  }

  /** Handles a frame about keys that are moved to another server; returns false for other frames. */
  #takesMigration(shard: number, word: number, body: Bytes): boolean {
    const { words } = this.#memory;
    const transaction = words[word + Reply.sequence]! >>> 0;
    switch (words[word + Reply.kind]! & KIND_MASK) {
      case FrameKind.migrate:
        this.#signals.valuesGiven(shard, transaction, body);
        return true;
      case FrameKind.redirected:
        this.#signals.redirected(body);
        return true;
      case FrameKind.found:
        this.#signals.keysFound(shard, transaction, body);
        return true;
      case FrameKind.migrated: {
        const isUnsafe = (words[word + Reply.flags]! & ReplyFlag.unsafe) !== 0;
        this.#signals.keysMoved(transaction, !isUnsafe);
        return true;
      }
      default:
        return false;
    }
  }

  #takeSynced(shard: number, word: number, bytes: Bytes): void {
    const { words } = this.#memory;
    const goesOn = (words[word + Reply.kind]! & CONTINUED) !== 0;
    const number = words[word + Reply.sequence]! >>> 0;
    this.#replication.synced(number, { shard, bytes, goesOn }, this.#isError(word));
  }

  #isError(word: number): boolean {
    return (this.#memory.words[word + Reply.flags]! & ReplyFlag.error) !== 0;
  }

  #takeSignal(link: ShardLink, word: number, kind: number, body: Bytes): void {
    if (this.#takesMigration(link.index, word, body)) return;
    const { words } = this.#memory;
    const client = this.#clientRegistry.inSlot(words[word + Reply.connection]!);
    // The wait has ended while the signal was in flight.
    if (client === undefined) return;
    const sequence = words[word + Reply.sequence]! >>> 0;
    const flags = words[word + Reply.flags]!;
    const numbers = asBuffer(body);
    switch (kind) {
      case FrameKind.barrier:
        this.#signals.stopped(client, (flags & ReplyFlag.watchBroken) !== 0);
        break;
      case FrameKind.prepare:
        this.#signals.prepared(client);
        break;
      case FrameKind.offer:
        this.#signals.offered(client, sequence, {
          shard: link.index,
          flags,
          firstIndex: numbers.readDoubleLE(0),
          timeoutMs: numbers.readDoubleLE(8),
        });
        break;
      case FrameKind.parked:
        this.#signals.parked(client, sequence, numbers.readDoubleLE(0));
        break;
      case FrameKind.unpark:
        this.#signals.unparked(client, sequence);
        break;
      case FrameKind.items:
        this.#signals.itemsCame(client, sequence, body);
        break;
      case FrameKind.inquiry: {
        const isOutdated = (flags & ReplyFlag.outdated) !== 0;
        this.#signals.named(client, sequence, isOutdated ? undefined : body);
        break;
      }
      case FrameKind.wake:
        this.#signals.woken(client, sequence, link.index);
        break;
      default:
        unreachable('a shard sends known frames');
    }
  }

  /** The body as private memory. */
  #bodyOf(link: ShardLink, word: number, kindWord: number): Bytes {
    const { words, bytes } = this.#memory;
    const length = words[word + Reply.bodyBytes]! >>> 0;
    if ((kindWord & TRANSFERRED) !== 0) return new Uint8Array(link.port.receive(), 0, length);
    const at = (word + Reply.body) << 2;
    // Commands enter the stream immediately, or once other shards have finished their part.
    if (kindWord === FrameKind.feed) return this.#feeds.copy(bytes, at, length);
    return bytes.slice(at, at + length);
  }

  #takePart(link: ShardLink, word: number, gather: Gather, body: Bytes): void {
    const { words } = this.#memory;
    const flags = words[word + Reply.flags]!;
    gather.time(link.index, {
      queueUs: words[word + Reply.queueUs]!,
      executeTicks: ticksFromWord(words[word + Reply.executeTicks]!),
      durableUs: (flags & ReplyFlag.settled) === 0 ? 0 : words[word + Reply.doneUs]!,
    });
    const isError = (flags & (ReplyFlag.error | ReplyFlag.unsafe)) !== 0;
    this.#page.add('scatterShards', 1);
    if (!gather.add(link.index, body, isError)) return;
    this.#gathers.end(gather);
    this.#answers.finish(gather);
  }

  #forward(shard: number, kind: number, body: Bytes): void {
    const link = this.#links[shard] ?? unreachable('copies go to a shard that exists');
    link.sendMessage({ ...emptyHead(), kind }, body);
  }
}

/** The reply to a command whose writes may not be kept. */
const UNSAFE = Buffer.from(`-${errors.unsafeReply.message}\r\n`, 'latin1');

function repeated(bytes: Buffer, count: number): Buffer {
  return Buffer.concat(new Array<Buffer>(count).fill(bytes));
}
