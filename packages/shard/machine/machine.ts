/**
 * A shard: takes request frames, runs them on its slice of the keys, writes reply frames.
 *
 * It is a pure machine. Clock, randomness and the way to main are handed to it, it never sleeps and
 * never waits (but for room in the reply ring), so a test can run many of them in one thread.
 */

import { unreachable, type Clock } from '#base';
import { AT, type FlightRecorder, type Page } from '#stats';
import {
  decodeControl,
  FrameKind,
  KIND_MASK,
  Request,
  TRANSFERRED,
  type LinkMemory,
  type RingReader,
} from '#link';
import { messageReceived } from '#usdt';
import { keyScratch, valueScratch, type Store } from '#store';
import type { BlockedCommands } from '../blocked/blocked-commands.ts';
import type { DryRuns } from '../blocked/dry-run.ts';
import type { WaitingClients } from '../execution/blocked-clients.ts';
import type { ExecutionContext } from '../execution/context.ts';
import type { Executor } from '../execution/executor.ts';
import type { KeyEvents } from '../execution/key-events.ts';
import { FrameCursor } from '../frames/frame-cursor.ts';
import { Frame } from '../frames/frame.ts';
import { FramePrefetch } from '../frames/prefetch-frames.ts';
import type { Outlet, ReplySender } from '../frames/reply-sender.ts';
import type { Lending } from '../lending/lending.ts';
import type { Journal } from '../log/journal.ts';
import type { FrameDetour, FrameTaker, ShardArrivals } from '../modules/shard-module.ts';
import type { ShardModules } from '../modules/shard-modules.ts';
import type { KeyUse } from '../observation/key-use.ts';
import type { Slowness } from '../observation/slowness.ts';
import { probeReceived } from '../observation/usdt.ts';
import type { Replay } from '../recovery/replay.ts';
import { BatchNotes } from '../timed/batch-notes.ts';
import type { IncrementalWork } from '../timed/incremental-work.ts';
import type { Maintenance } from '../timed/maintenance.ts';
import type { PreparedCommands } from '../timed/prepared-commands.ts';

/** A batch ends after this many microseconds, so that main sees replies and maintenance gets its turn. */
const BATCH_US_MAX = 500;
/** Replies are shown to main at least this often within a batch. */
const FLUSH_US = 150;

/** Timed work that is due at a barrier is looked at again after this time. */
const BARRIER_POLL_MS = 1;

/** Parts of the world that a machine touches. */
interface MachineLinks {
  readonly index: number;
  readonly memory: LinkMemory;
  readonly requests: RingReader;
  readonly outlet: Pick<Outlet, 'ring'>;
  /** Takes the body of a transferred frame: it is there when the frame is. */
  receive(): ArrayBuffer;
  readonly clock: Clock;
  readonly page: Page;
  readonly flight: FlightRecorder;
  readonly journal?: Journal;
}

/** Parts that a machine moves on. */
interface MachineParts {
  readonly store: Store;
  readonly replay: Replay;
  readonly context: ExecutionContext;
  readonly executor: Executor;
  readonly lending: Lending;
  readonly dryRuns: DryRuns;
  readonly blockedCommands: BlockedCommands;
  readonly preparedCommands: PreparedCommands;
  readonly waitingClients: WaitingClients;
  readonly work: IncrementalWork;
  readonly maintenance: Maintenance;
  readonly sender: ReplySender;
  readonly events: KeyEvents;
  readonly slowness: Slowness;
  readonly keyUse: KeyUse;
  /** Everything else that a shard has. */
  readonly modules: ShardModules;
  readonly core: { readonly isStopped: boolean };
}

export class ShardMachine {
  readonly #links: MachineLinks;
  readonly #parts: MachineParts;
  readonly store: Store;
  /** Replays a log. */
  readonly replay: Replay;
  readonly #page: Page;
  readonly #values: Float64Array;
  readonly #frame: Frame;
  readonly #blockedCommands: BlockedCommands;
  readonly #waitingClients: WaitingClients;
  readonly #executor: Executor;
  readonly #keyUse: KeyUse;
  readonly #lending: Lending;
  readonly #notes: BatchNotes;
  readonly #ahead: FramePrefetch;
  readonly #modules: ShardModules;
  readonly #takers: readonly (FrameTaker | undefined)[];
  readonly #runScript: FrameTaker;
  readonly #detour: FrameDetour | undefined;
  readonly #urgent: ShardArrivals | undefined;
  readonly #cursor: FrameCursor;
  /** True if a probe was attached at the start of the last batch. */
  #isProbed = false;

  constructor(links: MachineLinks, parts: MachineParts) {
    const { memory, page, requests } = links;
    const { modules } = parts;
    this.#links = links;
    this.#parts = parts;
    this.store = parts.store;
    this.replay = parts.replay;
    this.#page = page;
    this.#values = page.values;
    this.#blockedCommands = parts.blockedCommands;
    this.#waitingClients = parts.waitingClients;
    this.#executor = parts.executor;
    this.#keyUse = parts.keyUse;
    this.#lending = parts.lending;
    this.#notes = new BatchNotes(page, links.flight);
    this.#ahead = new FramePrefetch(requests, memory, parts.store.keyPrefetch);
    this.#modules = modules;
    this.#takers = modules.takers;
    this.#runScript = modules.runScript;
    this.#detour = modules.detour;
    this.#urgent = modules.urgent;
    this.#frame = new Frame(memory.bytes, memory.words, 0);
    this.#cursor = new FrameCursor(requests, memory.words);
  }

  /** The settings are in force: from now on the machine may be moved on. */
  begin(): void {
    this.#page.set('startedUs', this.#executor.nowUs);
    this.#executor.readWallClock();
    this.#publishPage();
  }

  /** Brings the page up to date. */
  #publishPage(): void {
    this.#parts.maintenance.publish();
    this.#modules.showFigures();
  }

  /**
   * Prepares a replay of the log from an empty store, up to the transaction `stopAt` and the first record after
   * `untilMs` (Unix milliseconds); nothing is replicated or notified.
   */
  beginReplay(stopAt?: number, untilMs?: number): void {
    this.replay.reset(stopAt, untilMs);
    this.store.flush();
    this.store.activeExpire = false;
  }

  /** Ends the replay and starts the counters: the data is complete. */
  endReplay(): void {
    this.store.activeExpire = true;
    this.#modules.resetStatistics();
    this.#page.set('changes', 0);
    this.#executor.nowUs = this.#links.clock.nowUs();
    this.#executor.readWallClock();
    this.#publishPage();
  }

  get isStopped(): boolean {
    return this.#parts.core.isStopped;
  }

  /** Runs frames of the ring, for a while; returns true if there were any. */
  #turn(): boolean {
    const { clock, journal } = this.#links;
    if (this.#nextDueMs < Infinity) this.#waitingClients.touchDue(clock.wallMs());
    let at = this.#cursor.next();
    if (at < 0) {
      if (!this.#blockedCommands.serveLate()) return false;
      this.flush();
      return true;
    }
    const executor = this.#executor;
    const startUs = clock.nowUs();
    executor.nowUs = startUs;
    if (this.#keyUse.isOn) this.#keyUse.begin(startUs);
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
      if (executor.nowUs - startUs > BATCH_US_MAX || this.#urgent?.isDue === true) break;
      // What a batch logs is a group: it is written once.
      if (executor.nowUs - flushedUs > FLUSH_US && journal?.mustSettle !== true) {
        this.flush();
        flushedUs = executor.readClock();
      }
      at = this.#cursor.next();
    }
    this.#ahead.end();
    this.#notes.ran(executor.nowUs, executor.nowUs - startUs, frames, frame);
    this.flush();
    this.#notes.ended(executor.nowUs, executor.nowUs - startUs);
    return true;
  }

  /**
   * One round: a batch, and timed work when it is due. Answers for how many milliseconds the thread
   * may sleep; 0 when there may be more to do.
   */
  step(): number {
    const executor = this.#executor;
    const { maintenance, work, events } = this.#parts;
    const hasTaken = this.#takeArrivals();
    const worked = this.#turn() || hasTaken;
    if (work.isActive) {
      work.slice();
      this.#beat();
      this.flush();
      if (!maintenance.isDue(executor.nowUs)) return 0;
    }
    if (this.#slice() && !maintenance.isDue(executor.nowUs)) {
      this.#beat();
      return 0;
    }
    if (!worked) this.#beat();
    if (!maintenance.isDue(executor.nowUs)) return worked ? 0 : this.#restMs();
    const startUs = executor.nowUs;
    // At a barrier nothing may change but by its own commands.
    if (this.#lending.isStopped) return worked ? 0 : this.#restMs();
    executor.readWallClock();
    events.begin();
    maintenance.run();
    this.#modules.endRound();
    this.#modules.showFigures();
    events.sendRest();
    executor.nowUs = this.#links.clock.nowUs();
    this.#page.looped(executor.nowUs - startUs);
    this.#show();
    return worked ? 0 : this.#restMs();
  }

  /** Processes arrivals by other ways than the ring; returns true if there were any. */
  #takeArrivals(): boolean {
    let hasTaken = false;
    for (const arrival of this.#modules.arrivals) if (arrival.take()) hasTaken = true;
    return hasTaken;
  }

  /** Runs work of modules, between batches and while there is nothing else to do; returns true if there is more. */
  #slice(): boolean {
    let isBusy = false;
    for (const slices of this.#modules.slices) {
      if (!slices.isActive) continue;
      if (slices.slice()) isBusy = true;
      this.#parts.sender.flush();
      this.#modules.publish();
    }
    return isBusy;
  }

  /** Drops references to the last command, whose frame and value may be large. */
  letGo(): void {
    const pointers = [this.#executor.args, this.store.view, keyScratch, valueScratch];
    for (const pointer of pointers) pointer.letGo();
  }

  /** Updates the heartbeat. */
  #beat(): void {
    this.#executor.nowUs = this.#links.clock.nowUs();
    this.#values[AT.heartbeatUs] = this.#executor.nowUs;
  }

  /**
   * Milliseconds until the next timed work: 0 while there is incremental work or a blocked command to serve, short
while a snapshot waits for the disk.
   */
  #restMs(): number {
    const { maintenance, work } = this.#parts;
    if (work.isActive || this.#blockedCommands.mustServe) return 0;
    const { nowUs } = this.#executor;
    const leastMs = this.#lending.isStopped ? BARRIER_POLL_MS : 0;
    let dueInMs = Math.max(maintenance.dueInMs(nowUs), leastMs);
    for (const slices of this.#modules.slices) {
      if (slices.isActive) dueInMs = Math.min(dueInMs, slices.dueInMs(nowUs));
    }
    const dueMs = this.#nextDueMs;
    if (dueMs === Infinity) return dueInMs;
    return Math.max(0, Math.min(dueInMs, dueMs - this.#links.clock.wallMs()));
  }

  /** Unix millisecond at which time may serve a blocked client; infinite if none waits for it, and while writes are paused. */
  get #nextDueMs(): number {
    return this.#parts.maintenance.room.isPaused ? Infinity : this.#waitingClients.dueMs;
  }

  /** Publishes the replies to main, after the page with their effects. */
  flush(): void {
    // A client with a reply of a long command must not see a stuck thread.
    this.#values[AT.heartbeatUs] = this.#executor.nowUs;
    const { maintenance, events, sender } = this.#parts;
    this.#modules.settle();
    maintenance.publish();
    // Evictions caused by a write are reported with its reply: the client's next command comes after them.
    if (!this.#lending.isStopped && maintenance.room.makeRoomBehind()) {
      this.#executor.nowUs = this.#links.clock.nowUs();
    }
    this.#modules.showFigures();
    events.sendRest();
    this.#values[AT.blockingKeys] = this.#waitingClients.keyCount;
    this.#values[AT.blockingNoKeys] = this.#waitingClients.noKeyCount;
    this.#notes.countWaits(this.#executor.nowUs, sender);
    this.#executor.counts.settle();
    if (this.#links.requests.release()) this.#links.outlet.ring();
    this.#show();
  }

  /** Shows main the replies, which write what was logged before; in async mode the disk thread is shown it. */
  #show(): void {
    const { journal } = this.#links;
    const { slowness, sender } = this.#parts;
    if (journal?.mode === 'async') journal.flush();
    slowness.send(sender);
    sender.flush();
    journal?.flush();
    this.#modules.publish();
  }

  /** Writes logged records before their replies are published. */
  settle(): boolean {
    this.#executor.counts.count();
    const { journal, clock } = this.#links;
    if (journal?.mustSettle !== true) return true;
    const isSafe = journal.settle();
    this.#executor.nowUs = clock.nowUs();
    if (journal.waitedUs > 0) this.#parts.sender.settledUs = this.#executor.nowUs;
    this.#executor.counts.unsettled.settle(journal.waitedUs, this.#executor.nowUs);
    return isSafe;
  }

  #take(frame: Frame): void {
    if (this.#isProbed) probeReceived(this.#links.index, frame, this.#links.requests);
    const kindWord = frame.words[frame.word + Request.kind]!;
    if ((kindWord & TRANSFERRED) !== 0) {
      const whole = frame.withBody(this.#links.receive());
      whole.words[Request.kind] = kindWord & ~TRANSFERRED;
      whole.words[Request.bytes] = whole.bytes.length;
      this.#lending.admit(whole);
    } else if (this.#lending.isActive) {
      this.#lending.admit(frame);
    } else if (this.#ahead.isInMemory) {
      this.#run(frame);
    } else {
      this.dispatch(frame);
    }
  }

  /** Processes one frame while the script of another shard is deferred, and continues work that holds keys. */
  deferredWork(): boolean {
    const { requests, memory, outlet } = this.#links;
    this.#ahead.end();
    this.#cursor.pass();
    const { work } = this.#parts;
    const isReading = work.isActive;
    if (isReading) work.slice();
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

  /** Processes a frame; `names` are the names of its keys, if known. */
  dispatch(frame: Frame, names?: readonly string[] | null): void {
    const detour = this.#detour;
    if (detour !== undefined && detour.isOn && detour.putsOff(frame, names)) return;
    this.#run(frame);
  }

  #run(frame: Frame): void {
    this.#perform(frame);
    if (this.#waitingClients.hasTouched) this.#blockedCommands.serve();
  }

  /** Position in the ring after the current frame. */
  get placeBehind(): number {
    return this.#cursor.behind;
  }

  /** Defers a command that blocks or takes long, by the state of the context. */
  putOff(frame: Frame): void {
    const wait = this.#parts.context.turn.takeWait();
    if (wait === undefined) this.#parts.preparedCommands.begin(frame);
    else this.#blockedCommands.park(frame, wait);
  }

  /** A command that has waited was run and answered. */
  answered(frame: Frame): void {
    this.#blockedCommands.answered(frame);
  }

  /** Something has come by another way than the ring. */
  get hasArrivals(): boolean {
    return this.#modules.hasArrivals;
  }

  /** True when arrivals by other ways than the ring are possible. */
  get areArrivalsExpected(): boolean {
    return this.#modules.areArrivalsExpected;
  }

  /** A piece of files was read, before the shard serves. */
  loaded(): void {
    this.#modules.loaded();
  }

  #perform(frame: Frame): void {
    const kind = frame.words[frame.word + Request.kind]! & KIND_MASK;
    // Other frames may change counters, or read them.
    if (kind !== FrameKind.command) this.#executor.counts.count();
    switch (kind) {
      case FrameKind.command:
        if (this.#executor.entryOf(frame).script !== undefined) this.#runScript(frame);
        else this.#executor.runCommand(frame, false);
        break;
      case FrameKind.part:
      case FrameKind.share:
        this.#executor.runPart(frame);
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
        this.#parts.dryRuns.inquire(frame);
        break;
      case FrameKind.verdict:
        this.#blockedCommands.verdict(frame);
        break;
      case FrameKind.unpark:
        this.#blockedCommands.unpark(frame);
        break;
      case FrameKind.control:
        this.#modules.obey(decodeControl(frame.body));
        break;
      default:
        this.#message(kind, frame);
    }
  }

  /** Takes a frame that is no command. */
  #message(kind: number, frame: Frame): void {
    const taker = this.#takers[kind];
    if (taker !== undefined) taker(frame);
    else if (!this.#lending.takes(frame)) unreachable('a frame has a known kind');
  }
}
