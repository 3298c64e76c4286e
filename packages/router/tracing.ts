/**
 * Decides which requests are traced, and keeps main's data about them. The decision is made once for each request, by
 * one random number, before anything is allocated for it; a request that is not sampled costs that number, and while
 * tracing is off not even that. The spans are created elsewhere, from the records sent to the ops thread.
 */

import type { Clock } from '#base';
import { Arguments, type CommandEntry, findKeys, type TraceParent } from '#commands';
import { AT, type Page } from '#stats';
import {
  type LinkMemory,
  RecordAt,
  RecordFlag,
  type SpanSwitches,
  TimesAt,
  type TraceRingWriter,
} from '#link';
import type { Client } from './clients/client.ts';
import type { ClientRegistry } from './clients/client-registry.ts';
import { NO_TRACES, OpenTraces, Trace } from './traces/trace.ts';

/** Maximum number of traced requests in flight; further ones are counted as dropped. */
const OPEN_MAX = 8_192;
/** Traces kept for later requests, a few kilobytes each. */
const SPARE_MAX = 1_024;
/** Words of 32 bits of a trace's id and a span's, and bytes of the latter two. */
const ID_WORDS = 6;
const TRACE_ID_BYTES = 16;
const PARENT_AT = 24;
const NO_COMMAND = -1;

export interface TracingOptions {
  readonly page: Page;
  readonly clock: Clock;
  readonly memory: LinkMemory;
  readonly clientRegistry: ClientRegistry;
  readonly ring: TraceRingWriter;
  /** From 0 up to 1. */
  readonly random: () => number;
}

export interface TracingSettings {
  readonly isEnabled: boolean;
  /** From 0 to 1. */
  readonly samplingRate: number;
  /** Microseconds from which on the trace of a request is kept, sampled or not; Infinity for none. */
  readonly keepSlowUs: number;
  /** Traces of requests with an error reply are kept, sampled or not. */
  readonly keepsFailed: boolean;
  /** True if every request is recorded for the log, sampled or not. */
  readonly reportsAll: boolean;
  readonly spans: SpanSwitches;
}

interface Sampling {
  readonly isSampled: boolean;
  readonly parent: TraceParent | undefined;
}

export class Tracing {
  /** True while requests must be looked at for tracing. */
  isOn = false;
  readonly #options: TracingOptions;
  readonly #values: Float64Array;
  /** Doubles of the link memory. */
  readonly #doubles: Float64Array;
  /** Answered requests that were not sent to the ops thread yet. */
  readonly #ended: Trace[] = [];
  readonly #spare: Trace[] = [];
  #isEnabled = false;
  #reportsAll = false;
  #keepSlowUs = Infinity;
  #keepsFailed = false;
  /** True when requests that are not sampled may be kept at their end. */
  #decidesLate = false;
  /** A draw below this is sampled: from 0 for none to 2^32 for all. */
  #threshold = 0;
  #word: number;
  /** Flags that every record has, by the settings. */
  #flags = 0;
  #open = 0;
  /** The ops thread keeps up. */
  #hasRoom = true;

  constructor(options: TracingOptions) {
    this.#options = options;
    this.#values = options.page.values;
    this.#doubles = new Float64Array(options.memory.memory.buffer);
    // It must not be 0.
    this.#word = (options.random() * 2 ** 32) | 1;
  }

  apply(settings: TracingSettings): void {
    const { isEnabled, reportsAll, samplingRate } = settings;
    this.#isEnabled = isEnabled;
    this.#reportsAll = reportsAll;
    this.#threshold = isEnabled ? samplingRate * 2 ** 32 : 0;
    this.#keepSlowUs = isEnabled ? settings.keepSlowUs : Infinity;
    this.#keepsFailed = isEnabled && settings.keepsFailed;
    this.#decidesLate = this.#keepSlowUs < Infinity || this.#keepsFailed;
    this.isOn = isEnabled || reportsAll;
    const { scatterGather, shard, persistence } = settings.spans;
    this.#flags =
      (reportsAll ? RecordFlag.logged : 0) |
      (scatterGather ? RecordFlag.scatterGatherSpans : 0) |
      (shard ? RecordFlag.shardSpans : 0) |
      (persistence ? RecordFlag.persistenceSpans : 0);
  }

  /** Decides whether a command is traced, before it is sent. */
  take(client: Client, entry: CommandEntry, args: Arguments): void {
    if (client.traces.current !== undefined) client.traces.current = undefined;
    const parent = client.session.traceParent;
    if (parent?.isForNext === true) client.session.traceParent = undefined;
    // The sampling decision of the application has precedence, if sampling is enabled.
    const isSampled =
      parent === undefined ? this.#draw() < this.#threshold : parent.isSampled && this.#isEnabled;
    const mayBeKept = this.#decidesLate && !isSampled && parent === undefined;
    if (!isSampled && !mayBeKept && !this.#reportsAll) return;
    this.#take(client, entry, args, { isSampled, parent });
  }

  /** Returns the next of 2^32 - 1 pseudo-random numbers: xorshift by George Marsaglia (2003), which is fast. */
  #draw(): number {
    let word = this.#word;
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
    this.#word = word;
    return word >>> 0;
  }

  #take(client: Client, entry: CommandEntry, args: Arguments, how: Sampling): void {
    const { isSampled, parent } = how;
    if (isSampled) this.#values[AT.tracesSampled]! += 1;
    if (!this.#hasRoom || this.#open >= OPEN_MAX) {
      this.#values[AT.tracesDropped]! += 1;
      // While nothing ends, nothing would look whether there is room again.
      if (this.#open === 0) this.#hasRoom = this.#options.ring.hasRoom;
      return;
    }
    const trace = this.#spare.pop() ?? new Trace();
    this.#begin(trace, client, entry, args);
    if (isSampled) this.#identify(trace, parent);
    const mayBeKept = !isSampled && parent === undefined;
    trace.keepsFailed = mayBeKept && this.#keepsFailed;
    // A blocking command waits by design.
    trace.keepSlowUs = mayBeKept && !entry.has('blocking') ? this.#keepSlowUs : Infinity;
    if (client.traces === NO_TRACES) {
      client.traces = new OpenTraces(this.#ended, this.#options.clock);
    }
    client.traces.current = trace;
    client.traces.add(trace);
    this.#open += 1;
  }

  #begin(trace: Trace, client: Client, entry: CommandEntry, args: Arguments): void {
    const { draft } = trace;
    trace.sequence = client.replies.nextSequence;
    draft.begin(args, entry.secretsOf(args));
    const { doubles } = draft;
    doubles[RecordAt.flags] = this.#flags;
    // The time of the turn would be that of the whole pipeline.
    doubles[RecordAt.startUs] = this.#options.clock.nowUs();
    doubles[RecordAt.connection] = client.id;
    doubles[RecordAt.command] = entry.id;
    doubles[RecordAt.keyCount] = keyCountOf(entry, args);
  }

  /** New ids of a trace and its span, or of a span in the application's trace, and that one's own. */
  #identify({ draft }: Trace, parent: TraceParent | undefined): void {
    const { ids, doubles } = draft;
    const { random } = this.#options;
    for (let word = 0; word < ID_WORDS; word += 1) ids[word] = random() * 2 ** 32;
    // An id of zeros would be none.
    ids[ID_WORDS - 1]! |= 1;
    doubles[RecordAt.flags]! |= RecordFlag.sampled;
    if (parent === undefined) return;
    doubles[RecordAt.flags]! |= RecordFlag.hasParent;
    const bytes = new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength);
    bytes.set(parent.traceId.subarray(0, TRACE_ID_BYTES));
    bytes.set(parent.spanId, PARENT_AT);
  }

  /** Records a finished snapshot that started at `startUs`, if such spans are enabled and it is sampled. */
  snapshot(startUs: number, keyCount: number): void {
    const isWanted = (this.#flags & RecordFlag.persistenceSpans) !== 0;
    if (!isWanted || this.#draw() >= this.#threshold) return;
    const { clock, ring } = this.#options;
    const trace = this.#spare.pop() ?? new Trace();
    const { doubles } = trace.draft;
    trace.draft.begin(new Arguments(), []);
    doubles[RecordAt.flags] = RecordFlag.snapshot;
    doubles[RecordAt.startUs] = startUs;
    doubles[RecordAt.endUs] = clock.nowUs();
    doubles[RecordAt.connection] = 0;
    doubles[RecordAt.command] = NO_COMMAND;
    doubles[RecordAt.keyCount] = keyCount;
    this.#identify(trace, undefined);
    this.#values[AT.tracesSampled]! += 1;
    if (!ring.write(trace.draft)) this.#values[AT.tracesDropped]! += 1;
    ring.publish();
    this.#spare.push(trace);
  }

  /** The command found no room, and is offered again: it is sampled again. */
  giveBack(client: Client): void {
    const { current: trace } = client.traces;
    if (trace === undefined) return;
    client.traces.takeBack(trace);
    client.traces.current = undefined;
    this.#open -= 1;
    if (trace.isSampled) this.#values[AT.tracesSampled]! -= 1;
    this.#spare.push(trace);
  }

  /** A shard's times for a client's command: `length` doubles of the link memory, from `at` on. */
  shardDid(shard: number, at: number, length: number): void {
    const doubles = this.#doubles;
    const client = this.#options.clientRegistry.inSlot(doubles[at + TimesAt.slot]!);
    if (client === undefined) return;
    // What main conducts has a sequence for each of its commands.
    const trace = client.wait.isAtBarrier
      ? client.traces.current
      : client.traces.at(doubles[at + TimesAt.sequence]!);
    if (trace === undefined) return;
    trace.draft.addShard(shard, doubles, at, length);
    const error = doubles[at + TimesAt.error]!;
    if (error >= 0) trace.draft.doubles[RecordAt.error] = error;
  }

  /** True for a request that is sampled or logged; one that is slow or has failed is sampled now, if that is wanted. */
  #isWanted(trace: Trace): boolean {
    if (trace.isNotable) {
      this.#identify(trace, undefined);
      this.#values[AT.tracesSampled]! += 1;
    }
    const { doubles } = trace.draft;
    return (doubles[RecordAt.flags]! & (RecordFlag.sampled | RecordFlag.logged)) !== 0;
  }

  /** Sends the answered requests to the ops thread: their replies are in place. */
  flush(): void {
    if (this.#ended.length === 0) return;
    const { ring } = this.#options;
    for (const trace of this.#ended) {
      if (this.#isWanted(trace) && !ring.write(trace.draft)) this.#values[AT.tracesDropped]! += 1;
      if (this.#spare.length < SPARE_MAX) this.#spare.push(trace);
    }
    this.#open -= this.#ended.length;
    this.#ended.length = 0;
    ring.publish();
    this.#hasRoom = ring.hasRoom;
  }
}

function keyCountOf(entry: CommandEntry, args: Arguments): number {
  if (entry.firstArgumentIsKey) return 1;
  if (!entry.hasKeys) return 0;
  return findKeys(entry.command.keys, args)?.length ?? 0;
}
