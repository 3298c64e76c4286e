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
  HEAP,
  PROFILE,
  PURGE,
  resetStatisticsTopic,
  SHARD_CONTENT,
  SlowLog,
  type Page,
  type ShardContent,
} from '#diag';
import { decodeControl, FrameKind, KIND_MASK, Request, TRANSFERRED, type Control } from '#link';
import { keyEvicted, keyExpired, messageReceived } from '#probes';
import { Store } from '#store';
import { BatchNotes } from './batch-notes.ts';
import { Blocking } from './blocking.ts';
import { ExecutionContext } from './context.ts';
import { Effects } from './effects.ts';
import { Executor } from './executor.ts';
import { Fates } from './fates.ts';
import { Frame } from './frame.ts';
import { Holds } from './holds.ts';
import { KeyEvents } from './key-events.ts';
import { decodeCopies } from './key-copies.ts';
import { KeyUse } from './key-use.ts';
import { Lending } from './lending.ts';
import { Replay } from './replay.ts';
import type { MachineParts } from './machine-parts.ts';
import { probeReceived } from './probing.ts';
import { Questions } from './questions.ts';
import { ReplySender } from './reply-sender.ts';
import { Settings } from './settings.ts';
import { SlowArguments } from './slow-arguments.ts';
import { Slowness } from './slowness.ts';
import { Snapshots } from './snapshots.ts';
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
const SNAPSHOT_POLL_MS = 1;

export class ShardMachine {
  readonly store: Store;
  /** Does again what a log says. */
  readonly replay: Replay;
  readonly #parts: MachineParts;
  readonly #page: Page;
  readonly #values: Float64Array;
  readonly #sender: ReplySender;
  readonly #questions: Questions;
  readonly #slowness: Slowness;
  readonly #settings: Settings;
  readonly #frame: Frame;
  readonly #watches: Watches;
  readonly #keyUse: KeyUse;
  readonly #waiters = new Waiters();
  readonly #trials: Trials;
  readonly #blocking: Blocking;
  readonly #context: ExecutionContext;
  readonly #executor: Executor;
  readonly #lending: Lending;
  readonly #upkeep: Upkeep;
  readonly #events: KeyEvents;
  readonly #effects: Effects;
  readonly #snapshots: Snapshots;
  readonly #fates: Fates;
  readonly #notes: BatchNotes;
  #bands = new Bands(false, []);
  #stopped = false;
  /** Somebody watches what is taken, as of the last batch's beginning. */
  #isProbed = false;

  constructor(parts: MachineParts) {
    this.#parts = parts;
    this.#page = parts.page;
    this.#values = parts.page.values;
    this.#settings = new Settings(parts.settings);
    this.#keyUse = new KeyUse(parts);
    this.#notes = new BatchNotes(parts.page, parts.flight);
    this.#sender = new ReplySender(parts.memory, parts.replies, parts.outlet);
    this.#questions = new Questions(this.#sender);
    const slowArguments = new SlowArguments(parts.memory, parts.slowArgumentsAt);
    const slowLog = new SlowLog(parts.index, parts.nextSlowId, slowArguments);
    this.#slowness = new Slowness(parts.page, slowLog);
    this.#events = new KeyEvents(this.#sender, parts.index === 0);
    this.store = new Store({
      databases: this.#settings.number('databases'),
      seed: parts.seed,
      random: parts.random,
    });
    const { store } = this;
    this.#watches = new Watches(store);
    this.#fates = new Fates(parts, this.#slowness, () => this.#executor.unixMs);
    this.#listenTo(store);
    this.#context = new ExecutionContext({
      ...parts,
      store,
      reply: this.#sender.writer,
      settings: this.#settings,
      watches: this.#watches,
      waiters: this.#waiters,
      events: this.#events,
      keyUse: this.#keyUse,
      shardIndex: parts.index,
    });
    this.#snapshots = new Snapshots({
      ...{ store, journal: parts.journal, outlet: parts.snapshots },
      ...{ page: parts.page, nowUs: () => parts.clock.nowUs() },
    });
    const { freeze } = this.#snapshots;
    this.#effects = new Effects({
      ...{ store, context: this.#context, values: this.#values, freeze },
      ...{ journal: parts.journal, shardIndex: parts.index, args: () => this.#executor.args },
    });
    this.#sender.settle = () => this.#settle();
    this.#upkeep = new Upkeep({ ...parts, store, slowness: this.#slowness });
    this.#executor = this.#newExecutor();
    const shared = {
      ...{ store, context: this.#context, sender: this.#sender, watches: this.#watches },
      ...{ shardIndex: parts.index, shardCount: parts.shardCount, executor: this.#executor },
      effects: this.#effects,
    };
    this.replay = new Replay(shared);
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
      this.#fates.apply(settings);
      if (this.#keyUse.apply(settings)) this.#upkeep.countPrefixes(this.#keyUse.prefixes.matcher);
      this.#events.apply(settings);
      if (this.#parts.journal !== undefined) {
        this.#parts.journal.isSync = settings.string('persistence-durability-mode') === 'sync';
      }
      this.#page.tracksLatency = settings.boolean('latency-tracking');
    });
  }

  #answerQuestions(): void {
    this.#questions.on(PROFILE, (question) => this.#parts.probe.profile(question));
    this.#questions.on(HEAP, () => this.#parts.probe.heap());
    this.#questions.on(PURGE, () => this.#upkeep.purge());
    this.#questions.on(SHARD_CONTENT, () => this.#content());
    this.#slowness.answer(this.#questions);
    this.#fates.answer(this.#questions);
    this.#keyUse.answer(this.#questions);
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
      effects: this.#effects,
      watches: this.#watches,
      keyUse: this.#keyUse,
      linkWords: memory.words,
      bands: () => this.#bands,
      slowness: this.#slowness,
      waitsForDisk: () => this.#parts.journal?.mustSettle === true,
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
    store.fates = this.#fates;
    store.events = {
      expired: (database, bytes, at, length) => {
        if (keyExpired.isWatched) keyExpired.fire(latin1(bytes, at, length), index);
        events.expired(database, bytes, at, length);
        this.#effects.removed(database, bytes, at, length);
        changed(database, bytes, at, length);
      },
      evicted: (database, bytes, at, length) => {
        if (keyEvicted.isWatched) keyEvicted.fire(latin1(bytes, at, length), index, store.policy);
        events.evicted(database, bytes, at, length);
        this.#effects.removed(database, bytes, at, length);
        changed(database, bytes, at, length);
      },
      fieldsExpired: (database, bytes, at, length, isGone) => {
        events.fieldsExpired(database, bytes, at, length, isGone);
        this.#effects.fieldsExpired(database, bytes, at, length);
        changed(database, bytes, at, length);
      },
    };
  }

  /** Before a log is done again: from nothing, and nobody is told. */
  beginReplay(): void {
    this.store.flush();
    this.store.activeExpire = false;
  }

  /** The data is as it was; what is counted begins here. */
  endReplay(): void {
    this.store.activeExpire = true;
    this.#upkeep.resetStatistics();
    this.#page.resetStatistics();
    this.#page.set('changes', 0);
    this.#executor.nowUs = this.#parts.clock.nowUs();
    this.#executor.readWallClock();
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
    const executor = this.#executor;
    const startUs = clock.nowUs();
    executor.nowUs = startUs;
    executor.readWallClock();
    this.#isProbed = messageReceived.isWatched;
    let flushedUs = startUs;
    const { words } = memory;
    const frame = this.#frame;
    let frames = 0;
    while (at >= 0) {
      frame.word = at >> 2;
      this.#take(frame);
      frames += 1;
      requests.advance(words[at >> 2]!);
      // In sync mode a batch is a group: it is synced once.
      if (executor.nowUs - flushedUs > FLUSH_US && !this.#isSync) {
        flushedUs = executor.nowUs;
        this.#notes.lasted(executor.nowUs - startUs, frame);
        this.#flush();
      }
      if (executor.nowUs - startUs > BATCH_US_MAX) break;
      at = requests.next();
    }
    this.#flush();
    this.#notes.ended(executor.nowUs, executor.nowUs - startUs, frames);
    return true;
  }

  /**
   * One round: a batch, and timed work when it is due. Answers for how many milliseconds the thread
   * may sleep; 0 when there may be more to do.
   */
  step(): number {
    const executor = this.#executor;
    const worked = this.#turn();
    if (this.#snapshots.isActive) {
      // Between batches, and as long as nothing else is to do.
      const isBusy = this.#snapshots.slice();
      this.#sender.flush();
      if (isBusy && !this.#upkeep.isDue(executor.nowUs)) {
        executor.nowUs = this.#parts.clock.nowUs();
        this.#values[AT.heartbeatUs] = executor.nowUs;
        return 0;
      }
    }
    if (!worked) {
      executor.nowUs = this.#parts.clock.nowUs();
      this.#values[AT.heartbeatUs] = executor.nowUs;
    }
    if (!this.#upkeep.isDue(executor.nowUs)) return worked ? 0 : this.#restMs();
    const startUs = executor.nowUs;
    // At a barrier nothing may change but by its own commands.
    if (this.#lending.isStopped) return worked ? 0 : BARRIER_POLL_MS;
    executor.readWallClock();
    this.#events.begin();
    this.#upkeep.run();
    this.#events.sendRest();
    executor.nowUs = this.#parts.clock.nowUs();
    this.#values[AT.busyUs] = this.#values[AT.busyUs]! + (executor.nowUs - startUs);
    this.#page.looped(executor.nowUs - startUs);
    this.#parts.journal?.flush();
    this.#slowness.send(this.#sender);
    this.#sender.flush();
    return worked ? 0 : this.#restMs();
  }

  /** For how long nothing is due; a snapshot that waits for the disk looks again soon. */
  #restMs(): number {
    const dueInMs = this.#upkeep.dueInMs(this.#executor.nowUs);
    return this.#snapshots.isActive ? Math.min(dueInMs, SNAPSHOT_POLL_MS) : dueInMs;
  }

  /** Shows main the replies, and first what the page says of their effects. */
  #flush(): void {
    this.#events.sendRest();
    this.#upkeep.publish();
    this.#values[AT.blockingKeys] = this.#waiters.keyCount;
    this.#values[AT.blockingNoKeys] = this.#waiters.noKeyCount;
    this.#notes.countWaits(this.#executor.nowUs, this.#sender);
    if (this.#parts.requests.release()) this.#parts.outlet.ring();
    this.#parts.journal?.flush();
    this.#slowness.send(this.#sender);
    this.#sender.flush();
  }

  get #isSync(): boolean {
    return this.#parts.journal?.isSync === true;
  }

  /** In sync mode, waits for the disk before replies are shown. */
  #settle(): boolean {
    const { journal, clock } = this.#parts;
    if (journal?.isSync !== true) return true;
    const isSafe = journal.settle();
    this.#executor.nowUs = clock.nowUs();
    this.#executor.waitedForDisk(journal.waitedUs);
    return isSafe;
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
      case FrameKind.share:
        this.#executor.runPart(frame);
        break;
      case FrameKind.snapshot:
        this.#snapshots.begin(frame.words[frame.word + Request.sequence]!);
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
