/**
 * A shard: takes request frames, runs them on its slice of the keys, writes reply frames.
 *
 * It is a pure machine. Clock, randomness and the way to main are handed to it, it never sleeps and
 * never waits (but for room in the reply ring), so a test can run many of them in one thread.
 */

import { assert, CommandError, unreachable } from '#base';
import { Arguments, commandTable, findKeys, type CommandEntry } from '#commands';
import { AT, Bands, countError, TICKS_PER_US, type Page } from '#diag';
import {
  DATABASE_SHIFT,
  decodeControl,
  FrameKind,
  KIND_MASK,
  Request,
  RequestFlag,
  ReplyFlag,
  TRANSFERRED,
  type Control,
} from '#link';
import { Store } from '#store';
import { ExecutionContext } from './context.ts';
import { Frame } from './frame.ts';
import { KeyEvents } from './key-events.ts';
import { decodeCopies } from './key-copies.ts';
import { HOST_SPANS, holdName, Lending } from './lending.ts';
import type { MachineParts } from './machine-parts.ts';
import { answerPart } from './part-answer.ts';
import { ReplySender } from './reply-sender.ts';
import { Settings } from './settings.ts';
import { Upkeep } from './upkeep.ts';

/** A batch ends after this many microseconds, so that main sees replies and upkeep gets its turn. */
const BATCH_US_MAX = 500;
/** Replies are shown to main at least this often within a batch. */
const FLUSH_US = 150;

/** Settings whose change begins the counting of bands anew. */
const BAND_SETTINGS = ['latency-bands', 'latency-bands-enabled'];

export class ShardMachine {
  readonly store: Store;
  readonly #parts: MachineParts;
  readonly #page: Page;
  readonly #values: Float64Array;
  readonly #sender: ReplySender;
  readonly #context: ExecutionContext;
  readonly #settings: Settings;
  readonly #args = new Arguments();
  readonly #frame: Frame;
  readonly #entries: readonly CommandEntry[] = commandTable.entries;
  readonly #lending: Lending;
  readonly #upkeep: Upkeep;
  readonly #events: KeyEvents;
  #bands = new Bands(false, []);
  #nowUs: number;
  #wallMs = 0;
  #wallReadUs = 0;
  #stopped = false;

  constructor(parts: MachineParts) {
    this.#parts = parts;
    this.#page = parts.page;
    this.#values = parts.page.values;
    this.#settings = new Settings(parts.settings);
    this.#sender = new ReplySender(parts.memory, parts.replies, parts.outlet);
    this.#events = new KeyEvents(this.#sender, parts.index === 0);
    this.store = new Store({
      databases: this.#settings.number('databases'),
      seed: parts.seed,
      random: parts.random,
    });
    this.#context = new ExecutionContext({
      store: this.store,
      reply: this.#sender.writer,
      settings: this.#settings,
      page: parts.page,
      events: this.#events,
      shardIndex: parts.index,
      shardCount: parts.shardCount,
      random: parts.random,
      sleep: parts.sleep,
    });
    this.store.events = this.#events;
    this.#upkeep = new Upkeep(this.store, parts.page, parts.clock, parts.usedBytesOfAll);
    this.#lending = new Lending({
      shardIndex: parts.index,
      store: this.store,
      sender: this.#sender,
      values: this.#values,
      keysOf: (frame) => this.#keysOf(frame),
      dispatch: (frame) => {
        this.#dispatch(frame);
      },
      makeRoomFor: (frame) => {
        this.#makeRoomFor(this.#entries[frame.words[frame.word + Request.command]!]!);
      },
      run: (frame) => {
        this.#runCommand(frame, HOST_SPANS);
      },
    });
    this.#frame = new Frame(parts.memory.bytes, parts.memory.words, 0);
    this.#nowUs = parts.clock.nowUs();
    parts.page.set('startedUs', this.#nowUs);
    this.#settings.follow((settings) => {
      this.#bands = new Bands(
        settings.boolean('latency-bands-enabled'),
        settings.numbers('latency-bands'),
      );
      this.#upkeep.apply(settings);
      this.#events.apply(settings);
      this.#page.tracksLatency = settings.boolean('latency-tracking');
    });
    this.#readWallClock();
    this.#upkeep.publish();
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Runs what is in the ring, for a while. Answers whether there was anything. */
  #turn(): boolean {
    const { requests, clock, memory } = this.#parts;
    let at = requests.next();
    if (at < 0) return false;
    const startUs = clock.nowUs();
    this.#nowUs = startUs;
    this.#readWallClock();
    let flushedUs = startUs;
    const { words } = memory;
    const frame = this.#frame;
    while (at >= 0) {
      frame.word = at >> 2;
      this.#take(frame);
      requests.advance(words[at >> 2]!);
      if (this.#nowUs - flushedUs > FLUSH_US) {
        flushedUs = this.#nowUs;
        this.#flush();
        if (this.#nowUs - startUs > BATCH_US_MAX) break;
      }
      at = requests.next();
    }
    this.#flush();
    this.#values[AT.turns] = this.#values[AT.turns]! + 1;
    this.#values[AT.busyUs] = this.#values[AT.busyUs]! + (this.#nowUs - startUs);
    this.#values[AT.heartbeatUs] = this.#nowUs;
    return true;
  }

  /**
   * One round: a batch, and timed work when it is due. Answers for how many milliseconds the thread
   * may sleep; 0 when there may be more to do.
   */
  step(): number {
    const worked = this.#turn();
    if (!worked) {
      this.#nowUs = this.#parts.clock.nowUs();
      this.#values[AT.heartbeatUs] = this.#nowUs;
    }
    if (!this.#upkeep.isDue(this.#nowUs)) return worked ? 0 : this.#upkeep.dueInMs(this.#nowUs);
    const startUs = this.#nowUs;
    this.#readWallClock();
    this.#events.begin();
    this.#upkeep.run();
    this.#events.sendRest();
    this.#nowUs = this.#parts.clock.nowUs();
    this.#values[AT.busyUs] = this.#values[AT.busyUs]! + (this.#nowUs - startUs);
    this.#sender.flush();
    return worked ? 0 : this.#upkeep.dueInMs(this.#nowUs);
  }

  /** Shows main the replies, and first what the page says of their effects. */
  #flush(): void {
    this.#events.sendRest();
    this.#upkeep.publish();
    if (this.#parts.requests.release()) this.#parts.outlet.ring();
    this.#sender.flush();
  }

  #readWallClock(): void {
    this.#wallMs = this.#parts.clock.wallMs();
    this.#wallReadUs = this.#nowUs;
    this.#context.nowMs = this.#wallMs;
    this.store.nowMs = this.#wallMs;
  }

  #take(frame: Frame): void {
    const kindWord = frame.words[frame.word + Request.kind]!;
    if ((kindWord & TRANSFERRED) !== 0) {
      const whole = frame.withBody(this.#parts.receive());
      whole.words[Request.kind] = kindWord & ~TRANSFERRED;
      whole.words[Request.bytes] = whole.bytes.length;
      this.#lending.admit(whole);
    } else if (this.#lending.isActive) {
      this.#lending.admit(frame);
    } else {
      this.#dispatch(frame);
    }
  }

  #dispatch(frame: Frame): void {
    switch (frame.words[frame.word + Request.kind]! & KIND_MASK) {
      case FrameKind.command:
        this.#runCommand(frame, Request.spans);
        break;
      case FrameKind.part:
        this.#runPart(frame);
        break;
      case FrameKind.host:
        this.#lending.beginHosting(frame);
        break;
      case FrameKind.lend:
        this.#setNow();
        this.#lending.lend(frame);
        break;
      case FrameKind.copies:
        this.#lending.receive(decodeCopies(frame.body));
        break;
      case FrameKind.returned:
        this.#lending.takeBack(decodeCopies(frame.body));
        break;
      case FrameKind.control:
        this.#obey(decodeControl(frame.body));
        break;
      default:
        unreachable('a frame has a known kind');
    }
  }

  // Commands.

  /** Points arguments and context at a frame's command. */
  #point(frame: Frame, spans: number): CommandEntry {
    const { words, word } = frame;
    const kindWord = words[word + Request.kind]!;
    const entry = this.#entries[words[word + Request.command]!]!;
    const count = words[word + Request.argumentCount]!;
    const bodyAt = (word + spans + 2 * count) << 2;
    const first = entry.container === undefined ? 1 : 2;
    this.#args.point(frame.bytes, bodyAt, words, word + spans, count, first);
    const context = this.#context;
    const database = kindWord >>> DATABASE_SHIFT;
    context.database = database;
    context.keyspace = this.store.databases[database]!;
    context.connection = words[word + Request.connection]!;
    this.#events.begin(context.connection, words[word + Request.sequence]! >>> 0);
    context.reply.protocol = (kindWord & RequestFlag.resp3) === 0 ? 2 : 3;
    this.store.noTouch = (kindWord & RequestFlag.noTouch) !== 0;
    return entry;
  }

  /** Says in the page what is about to be executed. */
  #start(frame: Frame, entry: CommandEntry): void {
    const values = this.#values;
    this.#setNow();
    values[AT.commands] = values[AT.commands]! + 1;
    values[AT.executing] = entry.id + 1;
    values[AT.executingSinceUs] = this.#nowUs;
    values[AT.executingClient] = this.#context.connection;
    values[AT.executingFrame] = frame === this.#frame ? frame.word : -1;
  }

  #setNow(): void {
    const sinceMs = (this.#nowUs - this.#wallReadUs) / 1_000;
    if (sinceMs < 1) return;
    const nowMs = this.#wallMs + Math.floor(sinceMs);
    this.#context.nowMs = nowMs;
    this.store.nowMs = nowMs;
  }

  #runCommand(frame: Frame, spans: number): void {
    const { words, word } = frame;
    const startUs = this.#nowUs;
    const entry = this.#point(frame, spans);
    this.#start(frame, entry);
    const sequence = words[word + Request.sequence]!;
    const enqueuedUs = words[word + Request.enqueuedUs]!;
    const muted = (words[word + Request.kind]! & RequestFlag.mute) !== 0;
    this.#sender.begin(words[word + Request.connection]!, sequence >>> 0);
    const { command } = entry;
    const reply = this.#sender.writer;
    reply.clearError();
    try {
      if (spans === Request.spans) this.#makeRoomFor(entry);
      if (command.route === 'oneShard') command.run(this.#context, this.#args);
      else unreachable('a whole command in a shard is a oneShard one');
    } catch (error) {
      this.#fail(error);
    }
    const endUs = this.#parts.clock.nowUs();
    this.#nowUs = endUs;
    if (reply.errorText !== null) {
      this.#page.failed(entry.id);
      countError(this.#page, reply.errorText);
    }
    if (muted) this.#sender.rewind();
    this.#events.sendAhead();
    this.#sender.end(sequence >>> 0, endUs | 0);
    const ticks = (endUs - startUs) * TICKS_PER_US;
    const queueUs = Math.max((startUs - enqueuedUs) | 0, 0);
    this.#page.executed(entry.id, ticks);
    this.#page.queued(queueUs * TICKS_PER_US);
    const values = this.#values;
    values[AT.queueUs] = values[AT.queueUs]! + queueUs;
    values[AT.executeTicks] = values[AT.executeTicks]! + ticks;
    values[AT.executing] = 0;
    if (this.#bands.enabled) this.#page.countBand(this.#bands.rowOf(queueUs + endUs - startUs));
  }

  /** The shard's share of a command that main gathers. */
  #runPart(frame: Frame): void {
    const { words, word } = frame;
    const startUs = this.#nowUs;
    const entry = this.#point(frame, Request.spans);
    this.#start(frame, entry);
    const sequence = words[word + Request.sequence]! >>> 0;
    const queueUs = Math.max((startUs - words[word + Request.enqueuedUs]!) | 0, 0);
    this.#sender.beginPart(words[word + Request.connection]!, sequence);
    const reply = this.#sender.writer;
    reply.clearError();
    let flags = 0;
    try {
      this.#makeRoomFor(entry);
      answerPart(entry, this.#context, this.#args);
    } catch (error) {
      this.#fail(error);
      flags = ReplyFlag.error;
    }
    const endUs = this.#parts.clock.nowUs();
    this.#nowUs = endUs;
    const ticks = ((endUs - startUs) * TICKS_PER_US) | 0;
    this.#events.sendAhead();
    this.#sender.endPart({
      sequence,
      doneUs: endUs | 0,
      queueUs,
      executeTicks: ticks,
      flags,
    });
    const values = this.#values;
    values[AT.executeTicks] = values[AT.executeTicks]! + ticks;
    values[AT.executing] = 0;
  }

  #makeRoomFor(entry: CommandEntry): void {
    if (entry.deniesOom && this.#upkeep.mustEvict()) this.#upkeep.makeRoom();
  }

  /** Turns a client's mistake into the reply; anything else is our own and ends the shard. */
  #fail(error: unknown): void {
    if (!(error instanceof CommandError)) throw error;
    this.#sender.rewind();
    this.#sender.writer.error(error);
  }

  /** The keys a command's frame names, as `database:key`; null when it concerns all keys. */
  #keysOf(frame: Frame): readonly string[] | null {
    const spans = frame.kind === FrameKind.host ? HOST_SPANS : Request.spans;
    const entry = this.#point(frame, spans);
    if (!entry.hasKeys) return null;
    const { databaseOf, keys } = entry.command;
    const selected = this.#context.database;
    const found = findKeys(keys, this.#args);
    // Arguments without their keys fail in the handler, whose order no longer matters.
    if (found === undefined) return [];
    return found.map(({ index, spec }) => {
      const nth = keys.specs.indexOf(spec);
      const database = databaseOf?.(nth, this.#args, selected) ?? selected;
      return holdName(database, this.#args.view(index));
    });
  }

  // Messages.

  #obey(control: Control): void {
    switch (control.kind) {
      case 'settings':
        this.#settings.update(control.values);
        if (BAND_SETTINGS.some((name) => name in control.values)) this.#page.clearBands();
        break;
      case 'reset-statistics':
        this.#page.resetStatistics();
        this.#upkeep.resetStatistics();
        break;
      case 'pause':
        this.#upkeep.isPaused = control.isOn;
        break;
      case 'tracking':
        this.#events.isTracked = control.isOn;
        break;
      case 'stop':
        assert(!this.#stopped, 'a shard is stopped once');
        this.#stopped = true;
        break;
    }
  }
}
