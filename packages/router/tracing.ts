/**
 * Which requests are traced, and what main knows of them.
 *
 * Whether one is, is decided once, by one random draw, before anything is made for it; whoever is not drawn costs
 * that draw, and while tracing is off there is not even that. The spans are made elsewhere, of what is told
 * here to the ops thread.
 */

import type { Bytes, Clock } from '#base';
import { findKeys, type Arguments, type CommandEntry, type TraceParent } from '#commands';
import { KeptArguments, type Page } from '#diag';
import type { ShardTimes, TraceRingWriter } from '#link';
import type { Client } from './client.ts';
import { OpenTraces, Trace } from './trace.ts';

/** Requests that may be under way and traced at a time; further ones are counted as dropped. */
const OPEN_MAX = 8_192;
/** Bytes of an argument that are kept for the statement. */
const ARGUMENT_BYTES_MAX = 128;
/** Words of 32 bits of a trace's id and a span's. */
const ID_WORDS = 6;
const PARENT_BYTES = 8;

export interface TracingParts {
  readonly page: Page;
  readonly clock: Clock;
  /** When what is dispatched now was taken up: the time that its frames say, too. */
  readonly takenUs: () => number;
  readonly ring: TraceRingWriter;
  /** From 0 up to 1. */
  readonly random: () => number;
}

export interface TracingSettings {
  readonly isEnabled: boolean;
  /** From 0 to 1. */
  readonly samplingRate: number;
  /** Every request is told of for the log, whether it is sampled or not. */
  readonly tellsAll: boolean;
}

export class Tracing {
  /** Whether a request must be looked at at all. */
  isOn = false;
  readonly #parts: TracingParts;
  /** Answered, and not told of yet. */
  readonly #ended: Trace[] = [];
  #settings: TracingSettings = { isEnabled: false, samplingRate: 0, tellsAll: false };
  #open = 0;

  constructor(parts: TracingParts) {
    this.#parts = parts;
  }

  apply(settings: TracingSettings): void {
    this.#settings = settings;
    this.isOn = settings.isEnabled || settings.tellsAll;
  }

  /** Decides on a command that is about to be sent on. */
  take(client: Client, entry: CommandEntry, args: Arguments): void {
    const parent = client.traceParent;
    if (parent?.isForNext === true) client.traceParent = undefined;
    const isSampled = this.#samples(parent);
    if (!isSampled && !this.#settings.tellsAll) {
      client.trace = undefined;
      return;
    }
    if (isSampled) this.#parts.page.add('tracesSampled', 1);
    if (this.#open >= OPEN_MAX) {
      client.trace = undefined;
      this.#parts.page.add('tracesDropped', 1);
      return;
    }
    this.#begin(client, entry, args, { isSampled, parent });
  }

  #begin(client: Client, entry: CommandEntry, args: Arguments, how: Sampling): void {
    const { isSampled, parent } = how;
    const trace = new Trace({
      ids: isSampled ? this.#ids(parent) : NO_IDS,
      isSampled,
      sequence: client.nextSequence,
      command: entry.id,
      connection: client.id,
      startUs: this.#parts.takenUs(),
      keyCount: findKeys(entry.command.keys, args)?.length ?? 0,
      args: new KeptArguments().keep(args, entry.secretsOf(args), ARGUMENT_BYTES_MAX),
    });
    client.trace = trace;
    client.traces ??= new OpenTraces(this.#ended);
    client.traces.add(trace);
    this.#open += 1;
  }

  #samples(parent: TraceParent | undefined): boolean {
    const { isEnabled, samplingRate } = this.#settings;
    if (!isEnabled) return false;
    return parent === undefined ? this.#parts.random() < samplingRate : parent.isSampled;
  }

  /** The command found no room, and is offered again: it is decided on anew. */
  giveBack(client: Client): void {
    const { trace } = client;
    if (trace === undefined) return;
    client.traces?.takeBack(trace);
    client.trace = undefined;
    this.#open -= 1;
    if (trace.isSampled) this.#parts.page.add('tracesSampled', -1);
  }

  /** A shard's times for a client's command. */
  shardDid(shard: number, times: ShardTimes, client: Client | undefined): void {
    // What main conducts has a sequence for each of its commands.
    const trace = client?.isConducting === true ? client.trace : client?.traces?.at(times.sequence);
    trace?.shardDid(shard, times);
  }

  /** Tells of the requests that were answered: their replies have just been handed to the sockets. */
  flush(): void {
    if (this.#ended.length === 0) return;
    const { clock, ring, page } = this.#parts;
    const nowUs = clock.nowUs();
    for (const trace of this.#ended) {
      if (!ring.write(trace.record(nowUs))) page.add('tracesDropped', 1);
    }
    this.#open -= this.#ended.length;
    this.#ended.length = 0;
    ring.publish();
  }

  /** New ids of a trace and its span, or of a span in the application's trace, and that one's own. */
  #ids(parent: TraceParent | undefined): Bytes {
    const words = new Uint32Array(parent === undefined ? ID_WORDS : ID_WORDS + PARENT_BYTES / 4);
    const { random } = this.#parts;
    for (let word = 0; word < ID_WORDS; word += 1) words[word] = random() * 2 ** 32;
    const ids = new Uint8Array(words.buffer);
    // An id of zeros would be none.
    ids[4 * ID_WORDS - 1]! |= 1;
    if (parent === undefined) return ids;
    ids.set(parent.traceId);
    ids.set(parent.spanId, 4 * ID_WORDS);
    return ids;
  }
}

interface Sampling {
  readonly isSampled: boolean;
  readonly parent: TraceParent | undefined;
}

const NO_IDS = new Uint8Array(0);
