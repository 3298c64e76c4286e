/**
 * A shard: takes request frames, runs them on its slice of the keys, writes reply frames.
 *
 * It is a pure machine. Clock, randomness and the way to main are handed to it, it never sleeps and
 * never waits (but for room in the reply ring), so a test can run many of them in one thread.
 */

import type { ShardScripts } from '#commands';
import { AT, type Page } from '#stats';
import { FrameKind, KIND_MASK, Request, TRANSFERRED } from '#link';
import { messageReceived } from '#usdt';
import { keyScratch, type Store, valueScratch } from '#store';
import { BatchNotes } from './timed/batch-notes.ts';
import { BlockedCommands } from './blocked/blocked-commands.ts';
import type { Executor } from './execution/executor.ts';
import { newExecutor } from './composition/new-executor.ts';
import { answerCalls } from './composition/machine-calls.ts';
import { MachineComponents } from './composition/machine-components.ts';
import { Frame } from './frames/frame.ts';
import { FeedOrders } from './composition/feed-orders.ts';
import { FrameCursor } from './frames/frame-cursor.ts';
import { FramePrefetch } from './frames/prefetch-frames.ts';
import { KeyLocks } from './multi-shard/key-locks.ts';
import { Lending } from './lending/lending.ts';
import { PreparedCommands } from './timed/prepared-commands.ts';
import { Replay } from './recovery/replay.ts';
import { Messages } from './composition/messages.ts';
import type { MachineOptions } from './composition/machine-options.ts';
import type { CalleeCommands } from './scripts/callee-commands.ts';
import type { ScriptFrames } from './scripts/script-frames.ts';
import { ShardLua } from './composition/shard-lua.ts';
import { ShardKeyFates } from './observation/key-fates.ts';
import { probeReceived } from './observation/usdt.ts';
import { DryRuns } from './blocked/dry-run.ts';
import { WarmWork } from './composition/warm-work.ts';

/** A batch ends after this many microseconds, so that main sees replies and maintenance gets its turn. */
const BATCH_US_MAX = 500;
/** Replies are shown to main at least this often within a batch. */
const FLUSH_US = 150;

/** Timed work that is due at a barrier is looked at again after this time. */
const BARRIER_POLL_MS = 1;

export class ShardMachine {
  readonly store: Store;
  /** Does again what a log says. */
  readonly replay: Replay;
  readonly keyUse: MachineComponents['keyUse'];
  readonly #options: MachineOptions;
  /** Lua: scripts and libraries of functions. */
  readonly scripts: ShardScripts;
  readonly #base: MachineComponents;
  readonly #page: Page;
  readonly #values: Float64Array;
  readonly #frame: Frame;
  readonly #dryRuns: DryRuns;
  readonly #blockedCommands: BlockedCommands;
  readonly #executor: Executor;
  readonly #lending: Lending;
  readonly #fates: ShardKeyFates;
  readonly #preparedCommands: PreparedCommands;
  readonly #notes: BatchNotes;
  readonly #ahead: FramePrefetch;
  readonly #messages: Messages;
  readonly #scriptFrames: ScriptFrames;
  /** Commands that scripts of other shards call here. */
  readonly calleeCommands: CalleeCommands;
  readonly #cursor: FrameCursor;
  readonly warmWork: WarmWork;
  /** Somebody watches what is taken, as of the last batch's beginning. */
  #isProbed = false;

  // eslint-disable-next-line max-lines-per-function -- wiring: a line for each property
  constructor(options: MachineOptions) {
    this.#options = options;
    const keyLocks = new KeyLocks((frame) => {
      this.#dispatch(frame);
    });
    const base = new MachineComponents(options, keyLocks, () => this.#settle());
    this.#base = base;
    this.store = base.store;
    this.keyUse = base.keyUse;
    this.#page = options.page;
    this.#values = options.page.values;
    this.#notes = new BatchNotes(options.page, options.flight);
    this.#ahead = new FramePrefetch(options.requests, options.memory, base.store.keyPrefetch);
    this.#executor = newExecutor(options, base, {
      putOff: (frame) => {
        const wait = base.context.takeWait();
        if (wait === undefined) this.#preparedCommands.begin(frame);
        else this.#blockedCommands.park(frame, wait);
      },
      answered: (frame) => {
        this.#blockedCommands.answered(frame);
      },
    });
    this.#fates = new ShardKeyFates(options, base.slowness, this.#executor);
    base.store.fates = this.#fates;
    this.#fates.answer(base.answerers);
    const { store, context, sender, watches, effects, waitingClients, events, settings } = base;
    const { index: shardIndex, shardCount } = options;
    const shared = {
      store,
      context,
      sender,
      watches,
      effects,
      events,
      shardIndex,
      shardCount,
      executor: this.#executor,
    };
    this.replay = new Replay(shared);
    this.#dryRuns = new DryRuns(shared);
    this.#blockedCommands = new BlockedCommands({
      ...shared,
      waitingClients,
      dryRuns: this.#dryRuns,
      keyLocks,
    });
    const nowUs = (): number => options.clock.nowUs();
    this.#lending = new Lending({
      ...shared,
      exchange: options.shardExchange?.exchange,
      values: this.#values,
      blocking: this.#blockedCommands,
      keyLocks,
      work: base.work,
      dispatch: this.#dispatch.bind(this),
    });
    this.#preparedCommands = new PreparedCommands({
      ...shared,
      keyLocks,
      blockedCommands: this.#blockedCommands,
      work: base.work,
      nowUs,
    });
    const lua = new ShardLua({
      ...shared,
      users: base.users,
      keyLocks,
      lending: this.#lending,
      machine: options,
      maintenance: base.maintenance,
      role: base.role,
      servedSlots: base.servedSlots,
      settings,
      work: () => this.#workAside(),
      placeBehind: () => this.#cursor.behind,
      show: this.#flush.bind(this),
      keyUse: this.keyUse,
    });
    this.scripts = lua.scripts;
    this.#scriptFrames = lua.frames;
    this.calleeCommands = lua.calleeCommands;
    this.#messages = new Messages({
      base,
      page: this.#page,
      scripts: lua.scripts,
      asks: lua.asks,
      feedOrders: new FeedOrders(base, lua.scripts, options),
    });
    this.warmWork = new WarmWork({
      ...shared,
      keyLocks,
      nowUs,
      maintenance: base.maintenance,
      slowness: base.slowness,
      values: base.warmValues,
      workingSet: base.workingSet,
      keysOf: (frame) => this.#lending.keysOf(frame),
    });
    this.#frame = new Frame(options.memory.bytes, options.memory.words, 0);
    this.#cursor = new FrameCursor(options.requests, options.memory.words);
    options.page.set('startedUs', this.#executor.nowUs);
    this.#followSettings(lua.scripts);
    answerCalls(base, options, lua.scripts);
    this.#executor.readWallClock();
    this.#base.maintenance.publish();
  }

  #followSettings(scripts: ShardLua['scripts']): void {
    this.#base.settings.follow((settings) => {
      this.#executor.counts.unsettled.apply(settings);
      this.#base.maintenance.apply(settings);
      this.#base.slowness.apply(settings);
      this.#fates.apply(settings);
      scripts.apply(settings);
      if (this.#base.keyUse.apply(settings))
        this.#base.maintenance.countPrefixes(this.#base.keyUse.prefixes.matcher);
      this.#base.events.apply(settings);
      this.#options.journal?.apply(settings);
      this.#base.snapshots.delayKeys(settings.number('snapshot.key-save-delay-us'));
      this.#page.tracksLatency = settings.boolean('latency.tracking');
    });
  }

  /** Before a log is done again, up to the transaction `stopAt`: from nothing, and nobody is told. */
  beginReplay(stopAt?: number): void {
    this.replay.reset(stopAt);
    this.store.flush();
    this.store.activeExpire = false;
  }

  /** The data is as it was; what is counted begins here. */
  endReplay(): void {
    this.store.activeExpire = true;
    this.#base.maintenance.resetStatistics();
    this.#page.resetStatistics();
    this.#page.set('changes', 0);
    this.#executor.nowUs = this.#options.clock.nowUs();
    this.#executor.readWallClock();
    this.#base.maintenance.publish();
  }

  get isStopped(): boolean {
    return this.#messages.isStopped;
  }

  /** Runs what is in the ring, for a while. Answers whether there was anything. */
  #turn(): boolean {
    const { clock, journal } = this.#options;
    let at = this.#cursor.next();
    if (at < 0) {
      if (!this.#blockedCommands.serveLate()) return false;
      this.#flush();
      return true;
    }
    const executor = this.#executor;
    const startUs = clock.nowUs();
    executor.nowUs = startUs;
    if (this.keyUse.isOn) this.keyUse.begin(startUs);
    executor.readWallClock();
    this.#isProbed = messageReceived.isWatched;
    let flushedUs = startUs;
    const frame = this.#frame;
    let frames = 0;
    while (at >= 0) {
      frame.word = at >> 2;
      this.#ahead.take();
      this.#take(frame);
      frames += 1;
      this.#cursor.pass();
      if (executor.nowUs - startUs > BATCH_US_MAX || this.calleeCommands.isDue) break;
      // What a batch logs is a group: it is written once.
      if (executor.nowUs - flushedUs > FLUSH_US && journal?.mustSettle !== true) {
        this.#flush();
        flushedUs = executor.readClock();
      }
      at = this.#cursor.next();
    }
    this.#ahead.end();
    this.#notes.ran(executor.nowUs, executor.nowUs - startUs, frames, frame);
    this.#flush();
    this.#notes.ended(executor.nowUs, executor.nowUs - startUs);
    return true;
  }

  /**
   * One round: a batch, and timed work when it is due. Answers for how many milliseconds the thread
   * may sleep; 0 when there may be more to do.
   */
  step(): number {
    const executor = this.#executor;
    const wasCalled = this.calleeCommands.run();
    const hasFetched = this.warmWork.takeArrived();
    if (hasFetched) this.#flush();
    const worked = this.#turn() || wasCalled || hasFetched;
    if (this.#base.work.isActive) {
      this.#base.work.slice();
      this.#beat();
      this.#flush();
      if (!this.#base.maintenance.isDue(executor.nowUs)) return 0;
    }
    if (this.#base.snapshots.isActive) {
      // Between batches, and as long as nothing else is to do.
      const isBusy = this.#base.snapshots.slice();
      this.#base.sender.flush();
      this.warmWork.publish();
      if (isBusy && !this.#base.maintenance.isDue(executor.nowUs)) {
        this.#beat();
        return 0;
      }
    }
    if (!worked) this.#beat();
    if (!this.#base.maintenance.isDue(executor.nowUs)) return worked ? 0 : this.#restMs();
    const startUs = executor.nowUs;
    // At a barrier nothing may change but by its own commands.
    if (this.#lending.isStopped) return worked ? 0 : this.#restMs();
    executor.readWallClock();
    this.#base.events.begin();
    this.#base.maintenance.run();
    this.#base.events.sendRest();
    executor.nowUs = this.#options.clock.nowUs();
    this.#page.looped(executor.nowUs - startUs);
    this.#show();
    return worked ? 0 : this.#restMs();
  }

  /** Drops what is kept of the last command, whose frame and value may be large. */
  letGo(): void {
    const pointers = [this.#executor.args, this.store.view, keyScratch, valueScratch];
    for (const pointer of pointers) pointer.letGo();
  }

  /** Says that the thread goes on. */
  #beat(): void {
    this.#executor.nowUs = this.#options.clock.nowUs();
    this.#values[AT.heartbeatUs] = this.#executor.nowUs;
  }

  /** For how long nothing is due; a snapshot that waits for the disk looks again soon, and long work goes on at once. */
  #restMs(): number {
    if (this.#base.work.isActive || this.#blockedCommands.mustServe) return 0;
    const { nowUs } = this.#executor;
    const { maintenance, snapshots } = this.#base;
    const leastMs = this.#lending.isStopped ? BARRIER_POLL_MS : 0;
    const dueInMs = Math.max(maintenance.dueInMs(nowUs), leastMs);
    return snapshots.isActive ? Math.min(dueInMs, snapshots.dueInMs(nowUs)) : dueInMs;
  }

  /** Shows main the replies, and first what the page says of their effects. */
  #flush(): void {
    // Whoever has a reply of a long command finds the thread alive.
    this.#values[AT.heartbeatUs] = this.#executor.nowUs;
    const { maintenance, events } = this.#base;
    this.warmWork.settle();
    maintenance.publish();
    // What has to go for what was written is told of with its reply: a client's next command comes behind it.
    if (!this.#lending.isStopped && maintenance.makeRoomBehind()) {
      this.#executor.nowUs = this.#options.clock.nowUs();
    }
    events.sendRest();
    this.#values[AT.blockingKeys] = this.#base.waitingClients.keyCount;
    this.#values[AT.blockingNoKeys] = this.#base.waitingClients.noKeyCount;
    this.#notes.countWaits(this.#executor.nowUs, this.#base.sender);
    this.#executor.counts.settle();
    if (this.#options.requests.release()) this.#options.outlet.ring();
    this.#show();
  }

  /** Shows main the replies, which write what was logged before; in async mode the disk thread is shown it. */
  #show(): void {
    const { journal } = this.#options;
    if (journal?.mode === 'async') journal.flush();
    this.#base.slowness.send(this.#base.sender);
    this.#base.sender.flush();
    journal?.flush();
    this.warmWork.publish();
  }

  /** Writes what was logged before replies are shown. */
  #settle(): boolean {
    this.#executor.counts.count();
    const { journal, clock } = this.#options;
    if (journal?.mustSettle !== true) return true;
    const isSafe = journal.settle();
    this.#executor.nowUs = clock.nowUs();
    if (journal.waitedUs > 0) this.#base.sender.settledUs = this.#executor.nowUs;
    this.#executor.counts.unsettled.settle(journal.waitedUs, this.#executor.nowUs);
    return isSafe;
  }

  #take(frame: Frame): void {
    if (this.#isProbed) probeReceived(this.#options.index, frame, this.#options.requests);
    const kindWord = frame.words[frame.word + Request.kind]!;
    if ((kindWord & TRANSFERRED) !== 0) {
      const whole = frame.withBody(this.#options.receive());
      whole.words[Request.kind] = kindWord & ~TRANSFERRED;
      whole.words[Request.bytes] = whole.bytes.length;
      this.#lending.admit(whole);
    } else if (this.#lending.isActive) {
      this.#lending.admit(frame);
    } else if (this.#ahead.isInMemory) {
      this.#run(frame);
    } else {
      this.#dispatch(frame);
    }
  }

  /** Takes one frame while the script of another is put aside, and goes on with work that holds keys. */
  #workAside(): boolean {
    const { requests, memory, outlet } = this.#options;
    this.#ahead.end();
    this.#cursor.pass();
    const isReading = this.#base.work.isActive;
    if (isReading) this.#base.work.slice();
    const at = this.#cursor.next();
    if (at < 0) return isReading;
    this.#take(new Frame(memory.bytes, memory.words, at >> 2));
    this.#cursor.pass();
    this.#executor.counts.settle();
    if (requests.release()) outlet.ring();
    // The frame of the script may be overwritten from now on.
    this.#values[AT.executingFrame] = -1;
    return true;
  }

  /** Does what a frame says; `names` are those of its keys, where they are known. */
  #dispatch(frame: Frame, names?: readonly string[] | null): void {
    if (this.store.tier.stats.keys > 0 && this.warmWork.putsOff(frame, names)) return;
    this.#run(frame);
  }

  #run(frame: Frame): void {
    this.#perform(frame);
    if (this.#base.waitingClients.hasTouched) this.#blockedCommands.serve();
  }

  #perform(frame: Frame): void {
    const kind = frame.words[frame.word + Request.kind]! & KIND_MASK;
    // What else comes may change what is counted, or ask for it.
    if (kind !== FrameKind.command) this.#executor.counts.count();
    switch (kind) {
      case FrameKind.command:
        if (this.#executor.entryOf(frame).script === undefined) {
          this.#executor.runCommand(frame, false);
        } else {
          this.#scriptFrames.run(frame, (detached) => this.#executor.runCommand(detached, false));
        }
        break;
      case FrameKind.part:
      case FrameKind.share:
        this.#executor.runPart(frame);
        break;
      case FrameKind.exec:
        this.#scriptFrames.beginTransaction(frame);
        break;
      case FrameKind.host:
        this.#lending.hosting.begin(frame);
        break;
      case FrameKind.lend:
        this.#executor.setNow();
        this.#lending.lend(frame);
        break;
      case FrameKind.barrier:
        this.#executor.setNow();
        this.#lending.stop(frame);
        break;
      case FrameKind.offer:
        this.#blockedCommands.offer(frame);
        break;
      case FrameKind.inquiry:
        this.#dryRuns.inquire(frame);
        break;
      case FrameKind.verdict:
        this.#blockedCommands.verdict(frame);
        break;
      case FrameKind.unpark:
        this.#blockedCommands.unpark(frame);
        break;
      default:
        if (kind !== FrameKind.refused && !this.#lending.takes(frame)) this.#messages.take(frame);
    }
  }
}
