/**
 * A shard: takes request frames, runs them on its slice of the keys, writes reply frames.
 *
 * It is a pure machine. Clock, randomness and the way to main are handed to it, it never sleeps and
 * never waits (but for room in the reply ring), so a test can run many of them in one thread.
 */

import { assert, latin1, unreachable, type Bytes } from '#base';
import type { CommandEntry } from '#commands';
import {
  AT,
  Bands,
  HOT_KEYS,
  HotKeys,
  PURGE,
  resetStatisticsTopic,
  SHARD_CONTENT,
  type Page,
  type ShardContent,
} from '#diag';
import { decodeControl, FrameKind, KIND_MASK, Request, TRANSFERRED, type Control } from '#link';
import { keyEvicted, keyExpired, messageReceived } from '#probes';
import { Store } from '#store';
import { Blocking } from './blocking.ts';
import { ExecutionContext } from './context.ts';
import { Executor } from './executor.ts';
import { Frame } from './frame.ts';
import { Holds } from './holds.ts';
import { KeyEvents } from './key-events.ts';
import { decodeCopies } from './key-copies.ts';
import { Lending } from './lending.ts';
import type { MachineParts } from './machine-parts.ts';
import { probeReceived } from './probing.ts';
import { Questions } from './questions.ts';
import { ReplySender } from './reply-sender.ts';
import { Settings } from './settings.ts';
import { Slowness } from './slowness.ts';
import { TracedCommands } from './traced-commands.ts';
import { Trials } from './trials.ts';
import { Upkeep } from './upkeep.ts';
import { Waiters } from './waiters.ts';
import { Watches } from './watches.ts';

/** A batch ends after this many microseconds, so that main sees replies and upkeep gets its turn. */
const BATCH_US_MAX = 500;
/** Replies are shown to main at least this often within a batch. */
const FLUSH_US = 150;

/** Timed work that is due at a barrier is looked at again after this time. */
const BARRIER_POLL_MS = 1;

export class ShardMachine {
  readonly store: Store;
  readonly #parts: MachineParts;
  readonly #page: Page;
  readonly #values: Float64Array;
  readonly #sender: ReplySender;
  readonly #questions: Questions;
  readonly #slowness: Slowness;
  readonly #settings: Settings;
  readonly #frame: Frame;
  readonly #watches: Watches;
  readonly #hotKeys: HotKeys;
  readonly #waiters = new Waiters();
  readonly #trials: Trials;
  readonly #blocking: Blocking;
  readonly #context: ExecutionContext;
  readonly #executor: Executor;
  readonly #lending: Lending;
  readonly #upkeep: Upkeep;
  readonly #events: KeyEvents;
  #bands = new Bands(false, []);
  #stopped = false;
  /** Somebody watches what is taken, as of the last batch's beginning. */
  #isProbed = false;

  constructor(parts: MachineParts) {
    this.#parts = parts;
    this.#page = parts.page;
    this.#values = parts.page.values;
    this.#settings = new Settings(parts.settings);
    this.#hotKeys = new HotKeys(parts.random);
    this.#sender = new ReplySender(parts.memory, parts.replies, parts.outlet);
    this.#questions = new Questions(this.#sender);
    this.#questions.on(HOT_KEYS, (question) => this.#hotKeys.answer(question));
    this.#questions.on(PURGE, () => this.#upkeep.purge());
    this.#questions.on(SHARD_CONTENT, () => this.#content());
    this.#slowness = new Slowness(parts.index, parts.page, parts.nextSlowId);
    this.#events = new KeyEvents(this.#sender, parts.index === 0);
    this.store = new Store({
      databases: this.#settings.number('databases'),
      seed: parts.seed,
      random: parts.random,
    });
    const { store } = this;
    this.#watches = new Watches(store);
    this.#listenTo(store);
    this.#context = new ExecutionContext({
      ...parts,
      store,
      reply: this.#sender.writer,
      settings: this.#settings,
      watches: this.#watches,
      waiters: this.#waiters,
      events: this.#events,
      shardIndex: parts.index,
    });
    this.#upkeep = new Upkeep({ ...parts, store, slowness: this.#slowness });
    this.#executor = this.#newExecutor();
    const shared = {
      ...{ store, context: this.#context, sender: this.#sender, watches: this.#watches },
      ...{ shardIndex: parts.index, shardCount: parts.shardCount, executor: this.#executor },
    };
    const holds = new Holds((frame) => {
      this.#dispatch(frame);
    });
    this.#trials = new Trials({ ...shared, events: this.#events });
    this.#blocking = new Blocking({
      ...shared,
      ...{ waiters: this.#waiters, trials: this.#trials, holds },
    });
    this.#lending = new Lending({
      ...shared,
      ...{ values: this.#values, blocking: this.#blocking, holds },
      dispatch: (frame) => {
        this.#dispatch(frame);
      },
    });
    this.#frame = new Frame(parts.memory.bytes, parts.memory.words, 0);
    parts.page.set('startedUs', this.#executor.nowUs);
    this.#followSettings();
    this.#answerQuestions();
    this.#executor.readWallClock();
    this.#upkeep.publish();
  }

  #followSettings(): void {
    this.#settings.follow((settings) => {
      this.#bands = new Bands(
        settings.boolean('latency-bands-enabled'),
        settings.numbers('latency-bands'),
      );
      this.#upkeep.apply(settings);
      this.#slowness.apply(settings);
      this.#events.apply(settings);
      this.#page.tracksLatency = settings.boolean('latency-tracking');
    });
  }

  #answerQuestions(): void {
    this.#slowness.answer(this.#questions);
    this.#questions.on(resetStatisticsTopic, () => {
      this.#page.resetStatistics();
      this.#upkeep.resetStatistics();
      return null;
    });
  }

  #newExecutor(): Executor {
    const { page, clock, memory } = this.#parts;
    const makeRoomFor = ({ deniesOom }: CommandEntry): void => {
      if (deniesOom && this.#upkeep.mustEvict()) this.#upkeep.makeRoom();
    };
    const evicted = (): number => this.store.stats.evicted;
    const traced = new TracedCommands({ sender: this.#sender, clock, evicted, makeRoomFor });
    return new Executor({
      ...{ traced, makeRoomFor },
      ...{ store: this.store, context: this.#context, sender: this.#sender, page, clock },
      events: this.#events,
      watches: this.#watches,
      hotKeys: this.#hotKeys,
      linkWords: memory.words,
      bands: () => this.#bands,
      slowness: this.#slowness,
      park: (frame, wait) => {
        this.#blocking.park(frame, wait);
      },
      answered: (frame) => {
        this.#blocking.answered(frame);
      },
    });
  }

  /** Nothing is on a disk tier: all keys are in memory. */
  #content(): ShardContent {
    const keys = this.store.databases.reduce((sum, { size }) => sum + size, 0);
    return { keys, hot_keys: keys, warm_keys: 0 };
  }

  /** Keys also change by themselves. */
  #listenTo(store: Store): void {
    const events = this.#events;
    const { index } = this.#parts;
    const changed = (database: number, bytes: Bytes, at: number, length: number): void => {
      this.#context.keyChanged(database, bytes, at, length);
    };
    store.events = {
      expired: (database, bytes, at, length) => {
        if (keyExpired.isWatched) keyExpired.fire(latin1(bytes, at, length), index);
        events.expired(database, bytes, at, length);
        changed(database, bytes, at, length);
      },
      evicted: (database, bytes, at, length) => {
        if (keyEvicted.isWatched) keyEvicted.fire(latin1(bytes, at, length), index, store.policy);
        events.evicted(database, bytes, at, length);
        changed(database, bytes, at, length);
      },
      fieldsExpired: (database, bytes, at, length, isGone) => {
        events.fieldsExpired(database, bytes, at, length, isGone);
        changed(database, bytes, at, length);
      },
    };
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  /** Runs what is in the ring, for a while. Answers whether there was anything. */
  #turn(): boolean {
    const { requests, clock, memory } = this.#parts;
    let at = requests.next();
    if (at < 0) return false;
    const executor = this.#executor;
    const startUs = clock.nowUs();
    executor.nowUs = startUs;
    executor.readWallClock();
    this.#isProbed = messageReceived.isWatched;
    let flushedUs = startUs;
    const { words } = memory;
    const frame = this.#frame;
    while (at >= 0) {
      frame.word = at >> 2;
      this.#take(frame);
      requests.advance(words[at >> 2]!);
      if (executor.nowUs - flushedUs > FLUSH_US) {
        flushedUs = executor.nowUs;
        this.#flush();
        if (executor.nowUs - startUs > BATCH_US_MAX) break;
      }
      at = requests.next();
    }
    this.#flush();
    this.#values[AT.turns] = this.#values[AT.turns]! + 1;
    this.#values[AT.busyUs] = this.#values[AT.busyUs]! + (executor.nowUs - startUs);
    this.#values[AT.heartbeatUs] = executor.nowUs;
    return true;
  }

  /**
   * One round: a batch, and timed work when it is due. Answers for how many milliseconds the thread
   * may sleep; 0 when there may be more to do.
   */
  step(): number {
    const executor = this.#executor;
    const worked = this.#turn();
    if (!worked) {
      executor.nowUs = this.#parts.clock.nowUs();
      this.#values[AT.heartbeatUs] = executor.nowUs;
    }
    if (!this.#upkeep.isDue(executor.nowUs))
      return worked ? 0 : this.#upkeep.dueInMs(executor.nowUs);
    const startUs = executor.nowUs;
    // At a barrier nothing may change but by its own commands.
    if (this.#lending.isStopped) return worked ? 0 : BARRIER_POLL_MS;
    executor.readWallClock();
    this.#events.begin();
    this.#upkeep.run();
    this.#events.sendRest();
    executor.nowUs = this.#parts.clock.nowUs();
    this.#values[AT.busyUs] = this.#values[AT.busyUs]! + (executor.nowUs - startUs);
    this.#slowness.send(this.#sender);
    this.#sender.flush();
    return worked ? 0 : this.#upkeep.dueInMs(executor.nowUs);
  }

  /** Shows main the replies, and first what the page says of their effects. */
  #flush(): void {
    this.#events.sendRest();
    this.#upkeep.publish();
    this.#values[AT.blockingKeys] = this.#waiters.keyCount;
    this.#values[AT.blockingNoKeys] = this.#waiters.noKeyCount;
    this.#values[AT.waitsForRoom] = this.#values[AT.waitsForRoom]! + this.#sender.waits;
    this.#sender.waits = 0;
    if (this.#parts.requests.release()) this.#parts.outlet.ring();
    this.#slowness.send(this.#sender);
    this.#sender.flush();
  }

  #take(frame: Frame): void {
    if (this.#isProbed) probeReceived(this.#parts.index, frame, this.#parts.requests);
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
    this.#perform(frame);
    if (this.#waiters.hasTouched && !this.#lending.isStopped) this.#blocking.serve();
  }

  #perform(frame: Frame): void {
    switch (frame.words[frame.word + Request.kind]! & KIND_MASK) {
      case FrameKind.command:
        this.#executor.runCommand(frame, false);
        break;
      case FrameKind.part:
        this.#executor.runPart(frame);
        break;
      case FrameKind.exec:
        this.#lending.beginTransaction(frame);
        break;
      case FrameKind.host:
        this.#lending.beginHosting(frame);
        break;
      case FrameKind.lend:
        this.#executor.setNow();
        this.#lending.lend(frame);
        break;
      case FrameKind.copies:
        this.#lending.receive(decodeCopies(frame.body));
        break;
      case FrameKind.returned:
        this.#lending.takeBack(decodeCopies(frame.body));
        break;
      case FrameKind.barrier:
        this.#executor.setNow();
        this.#lending.stop(frame);
        break;
      case FrameKind.resume:
        this.#lending.resume();
        break;
      case FrameKind.offer:
        this.#blocking.offer(frame);
        break;
      case FrameKind.inquiry:
        this.#trials.inquire(frame);
        break;
      case FrameKind.verdict:
        this.#blocking.verdict(frame);
        break;
      case FrameKind.unpark:
        this.#blocking.unpark(frame);
        break;
      case FrameKind.unwatch:
        this.#watches.forget(frame.words[frame.word + Request.connection]!);
        break;
      default:
        this.#takeMessage(frame);
    }
  }

  // Messages.

  #takeMessage(frame: Frame): void {
    switch (frame.kind) {
      case FrameKind.introduce:
        this.#slowness.introduce(frame);
        break;
      case FrameKind.report:
        this.#questions.answer(frame);
        break;
      case FrameKind.control:
        this.#obey(decodeControl(frame.body));
        break;
      default:
        unreachable('a frame has a known kind');
    }
  }

  #obey(control: Control): void {
    switch (control.kind) {
      case 'settings':
        this.#settings.update(control.values);
        break;
      case 'reset-bands':
        this.#page.clearBands(control.generation);
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
