/**
 * Runs the commands of frames in a shard: whole ones, parts of gathered ones, and transactions.
 *
 * One reading of the clock ends a command and begins the next. What a command's time is, how long it
 * was queued and which latency band it falls into come from the same two readings.
 *
 * Large because whole commands, parts and transactions are its own, and those that run commands in other ways (scripts,
 * hosts, replays, commands that waited) put them together of its steps.
 */

import { type Clock, type CommandError, errors, unreachable } from '#base';
import { type Arguments, type CommandEntry, commandTable, type Wait } from '#commands';
import { AT, type Page, TICKS_PER_US } from '#stats';
import { DATABASE_SHIFT, FrameKind, KIND_MASK, ReplyFlag, Request, RequestFlag } from '#link';
import { commandDone, commandStart } from '#usdt';
import type { Store } from '#store';
import { CommandClock } from './command-clock.ts';
import type { CommandTurn } from './command-turn.ts';
import type { ExecutionContext } from './context.ts';
import type { Effects } from './effects.ts';
import type { Journal } from '../log/journal.ts';
import { replyTo } from './failure.ts';
import type { Frame } from '../frames/frame.ts';
import { FrameKeys, pointAtShare } from './frame-keys.ts';
import { framesIn, spansOf } from '../frames/frame-spans.ts';
import type { KeyEvents } from './key-events.ts';
import { MODES, modeOfFrame, type Mode } from './mode.ts';
import type { KeyUse } from '../observation/key-use.ts';
import { namedKeys } from './key-discovery.ts';
import { answerPart, answerWhole } from './part-answer.ts';
import { CommandCounts } from './command-counts.ts';
import { probeDone, probeStart } from '../observation/usdt.ts';
import type { ReplySender } from '../frames/reply-sender.ts';
import type { OpenSlots } from '../cluster/open-slots.ts';
import type { Role } from '../replica/role.ts';
import type { ShardUsers } from '../access/shard-users.ts';
import type { Slowness } from '../observation/slowness.ts';
import { isTraced, type TracedCommands } from '../observation/traced-commands.ts';
import type { Watches } from './watches.ts';

interface ExecutorOptions {
  readonly store: Store;
  readonly context: ExecutionContext;
  readonly args: Arguments;
  readonly sender: ReplySender;
  readonly page: Page;
  readonly clock: Clock;
  readonly watches: Watches;
  readonly keyUse: KeyUse;
  readonly events: KeyEvents;
  readonly effects: Effects;
  readonly traced: TracedCommands;
  /** Words of the link memory: a frame in it can be read by others. */
  readonly linkWords: Int32Array;
  /** Evicts what must go before a command that needs memory. */
  makeRoomFor(entry: CommandEntry): void;
  readonly slowness: Slowness;
  readonly users: ShardUsers;
  readonly journal: Journal | undefined;
  readonly role: Role;
  readonly openSlots: OpenSlots;
  /** True while this shard is stopped for one transaction or script. */
  isStopped(): boolean;
  /** Defers a command that blocks or takes long, by the state of the context. */
  putOff(frame: Frame): void;
  /** A command that has waited was run and answered. */
  answered(frame: Frame): void;
}

/** Stands for the queue time of a command that has waited for its keys. */
const WAITED = -1;

export class Executor {
  /** Monotonic microseconds: when the last command ended, or the batch began. */
  nowUs = 0;
  /** Microseconds for which the frame that is being run has waited for warm values. */
  fetchUs = 0;
  readonly #options: ExecutorOptions;
  readonly #context: ExecutionContext;
  readonly #turn: CommandTurn;
  readonly #sender: ReplySender;
  readonly #page: Page;
  readonly #values: Float64Array;
  /** Arguments of the command that was pointed at last. */
  readonly args: Arguments;
  /** The keys that frames name. */
  readonly keys: FrameKeys;
  readonly #entries: readonly CommandEntry[] = commandTable.entries;
  readonly #keyUse: KeyUse;
  readonly #users: ShardUsers;
  readonly #role: Role;
  readonly #openSlots: OpenSlots;
  readonly counts: CommandCounts;
  readonly #wallClock: CommandClock;
  /** Somebody watches the probes of commands. */
  isProbed = false;
  /** Frame whose command was pointed at last, and where its spans are. */
  pointed: Frame | undefined;
  #pointedSpans = 0;

  constructor(options: ExecutorOptions) {
    this.#options = options;
    this.#context = options.context;
    this.#turn = options.context.turn;
    this.#wallClock = new CommandClock({ ...options, time: options.context.turn.time });
    this.args = options.args;
    this.#sender = options.sender;
    this.#page = options.page;
    this.#values = options.page.values;
    this.#keyUse = options.keyUse;
    this.#users = options.users;
    this.#role = options.role;
    this.#openSlots = options.openSlots;
    this.keys = new FrameKeys(this, options.context, options.watches);
    this.counts = new CommandCounts(options, this);
    this.nowUs = options.clock.nowUs();
  }

  /** Starts the time of the next command now: work after the last command counts for neither. */
  readClock(): number {
    this.nowUs = this.#options.clock.nowUs();
    return this.nowUs;
  }

  readWallClock(): void {
    // Once for a batch: a tracer that comes meanwhile sees the next.
    this.isProbed = commandStart.isWatched || commandDone.isWatched;
    this.#wallClock.read(this.nowUs);
  }

  /** Advances the wall clock by the monotonic one, unless time is frozen. */
  setNow(): void {
    this.#wallClock.advance(this.nowUs);
  }

  entryOf(frame: Frame): CommandEntry {
    return this.#entries[frame.words[frame.word + Request.command]!]!;
  }

  /** Evicts what must go before the commands of a frame: not among them, nor with lent keys here. */
  makeRoomFor(frame: Frame): void {
    if (frame.kind !== FrameKind.exec) this.#options.makeRoomFor(this.entryOf(frame));
    else for (const queued of framesIn(frame)) this.#options.makeRoomFor(this.entryOf(queued));
  }

  /** Runs a complete command with all its keys on this shard; returns false if it was deferred. */
  runCommand(frame: Frame, again: boolean, wait?: Wait): boolean {
    const { words, word } = frame;
    const startUs = this.nowUs;
    const entry = this.point(frame);
    if (again && this.#users.refuses(frame, entry, this.args, this.nowUs)) {
      this.#options.answered(frame);
      return true;
    }
    if (entry.otherKeys !== undefined && this.#isOutdated(frame, entry)) return true;
    this.start(frame, entry);
    this.#sender.begin(words[word + Request.connection]!, frame.sequence);
    const traced = isTraced(frame) ? this.#options.traced : undefined;
    if (traced !== undefined) traced.makeRoomFor(entry, frame.kind === FrameKind.command);
    else if (frame.kind === FrameKind.command) this.#options.makeRoomFor(entry);
    traced?.begin(entry.id);
    this.#executeHere(entry, frame, wait?.retry);
    traced?.end(this.nowUs);
    this.#keep(frame, traced);
    if (this.#turn.isPutOff) {
      traced?.forget();
      this.#putOff(frame);
      return false;
    }
    this.#finish(frame, entry, startUs, again ? WAITED : this.queueUs(frame, startUs));
    if (again) this.#options.answered(frame);
    return true;
  }

  /** Runs a client's command, unless its keys are on their way to another node. */
  #executeHere(entry: CommandEntry, frame: Frame, retry: Wait['retry']): void {
    const refusal = this.#openSlots.refusalOf(entry, this.args, this.#context);
    if (refusal === undefined) {
      this.execute(entry, modeOfFrame(frame), frame, retry);
      return;
    }
    this.#sender.writer.clearError();
    this.#fail(refusal, entry, frame);
    this.nowUs = this.#options.clock.nowUs();
  }

  /** Says why a transaction is another node's: one of its commands would be. */
  #transactionRefusal(frame: Frame): CommandError | undefined {
    for (const queued of framesIn(frame)) {
      const refusal = this.#openSlots.refusalOf(this.point(queued), this.args, this.#context);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  /** True when keys named by values are not here: they changed after main asked for them, which is reported to main. */
  #isOutdated(frame: Frame, entry: CommandEntry): boolean {
    const context = this.#context;
    if (context.shardCount === 1) return false;
    this.setNow();
    const named = namedKeys(entry, context, this.args);
    if (named.every((key) => context.hasHere(key))) return false;
    const { connection } = context;
    this.#sender.sendSignal(FrameKind.inquiry, connection, frame.sequence, ReplyFlag.outdated);
    return true;
  }

  #putOff(frame: Frame): void {
    this.#sender.abandon();
    this.#values[AT.executing] = 0;
    this.#options.putOff(frame);
  }

  /** Replies to a client whose wait has ended: with an empty reply, or the error. */
  answerWait(frame: Frame, error: CommandError | undefined): void {
    const { words, word } = frame;
    const startUs = this.nowUs;
    const entry = frame.kind === FrameKind.exec ? this.entryOf(frame) : this.point(frame);
    const { writer } = this.#sender;
    this.#sender.begin(words[word + Request.connection]!, frame.sequence);
    writer.clearError();
    if (error === undefined) writer.nilArray();
    else writer.error(error);
    this.#finish(frame, entry, startUs, WAITED);
  }

  /** Runs the commands of a transaction one after the other, unless a watched key has changed. */
  runTransaction(frame: Frame, isBroken: boolean): void {
    const { words, word } = frame;
    const beganUs = this.nowUs;
    const { sequence } = frame;
    const exec = this.entryOf(frame);
    const { writer } = this.#sender;
    this.setNow();
    this.#sender.begin(words[word + Request.connection]!, sequence);
    const isResp3 = (words[word + Request.kind]! & RequestFlag.resp3) !== 0;
    writer.protocol = isResp3 ? 3 : 2;
    writer.clearError();
    const refusal = this.#openSlots.isAny ? this.#transactionRefusal(frame) : undefined;
    if (refusal !== undefined) writer.error(refusal);
    else if (isBroken) writer.nilArray();
    else writer.arrayHeader(words[word + Request.argumentCount]!);
    if (!isBroken && refusal === undefined) {
      this.#options.effects.beginGroup();
      this.#wallClock.isHeld = true;
      let step = 0;
      for (const queued of framesIn(frame)) {
        this.#runQueued(queued, sequence, step);
        step += 1;
      }
      this.#wallClock.isHeld = false;
      this.#options.effects.endGroup();
    }
    writer.clearError();
    this.#finish(frame, exec, beganUs, this.queueUs(frame, beganUs));
  }

  #runQueued(frame: Frame, sequence: number, step: number): void {
    const startUs = this.nowUs;
    const entry = this.point(frame);
    this.start(frame, entry, sequence, step);
    this.#sender.mark();
    const traced = isTraced(frame) ? this.#options.traced : undefined;
    traced?.begin(entry.id);
    this.execute(entry, MODES.noWait, frame);
    traced?.end(this.nowUs);
    this.#keep(frame, traced);
    if (this.#keyUse.isOn) this.counts.use(frame, entry, this.nowUs - startUs);
    this.counts.queued(entry, startUs);
  }

  /** Runs the shard's share of a command that main gathers. */
  runPart(frame: Frame): void {
    const { words, word } = frame;
    const startUs = this.nowUs;
    const entry = this.point(frame);
    this.start(frame, entry);
    const sequence = frame.sequence;
    const queueUs = this.queueUs(frame, startUs);
    this.#sender.beginPart(words[word + Request.connection]!, sequence);
    const reply = this.#sender.writer;
    reply.clearError();
    let flags = 0;
    const traced = isTraced(frame) ? this.#options.traced : undefined;
    try {
      if (traced === undefined) this.#options.makeRoomFor(entry);
      else traced.makeRoomFor(entry, true);
      traced?.begin(entry.id);
      const refusal = this.#openSlots.refusalOf(entry, this.args, this.#context);
      if (refusal !== undefined) throw refusal;
      answerPart(entry, this.#context, this.args);
    } catch (error) {
      this.#fail(error, entry, frame);
      flags = ReplyFlag.error;
    }
    const endUs = this.#options.clock.nowUs();
    this.nowUs = endUs;
    traced?.end(endUs);
    this.#keep(frame, traced);
    if (this.#keyUse.isOn) this.counts.use(frame, entry, endUs - startUs);
    const executeTicks = Math.trunc((endUs - startUs) * TICKS_PER_US);
    this.#options.events.sendAhead();
    traced?.send(frame, { startUs, endUs: this.nowUs, queueUs, errorText: reply.errorText });
    this.#sender.endPart({ sequence, doneUs: endUs | 0, queueUs, executeTicks, flags });
    if (this.isProbed && commandDone.isWatched) probeDone(entry, endUs - startUs, reply.errorText);
    const values = this.#values;
    values[AT.commands] = values[AT.commands]! + 1;
    values[AT.executeTicks] = values[AT.executeTicks]! + executeTicks;
    values[AT.executing] = 0;
    this.#options.slowness.occurred('command', endUs - startUs, this.unixMs);
  }

  /** Points arguments and context at a frame's command. */
  point(frame: Frame, spans = spansOf(frame)): CommandEntry {
    const { words, word } = frame;
    this.pointed = frame;
    this.#pointedSpans = spans;
    const kindWord = words[word + Request.kind]!;
    const entry = this.#entries[words[word + Request.command]!]!;
    const count = words[word + Request.argumentCount]!;
    const bodyAt = (word + spans + 2 * count) << 2;
    const first = entry.container === undefined ? 1 : 2;
    this.args.point(frame.bytes, bodyAt, words, word + spans, count, first);
    this.args.isGiven = frame.isGiven;
    if ((kindWord & KIND_MASK) === FrameKind.share) pointAtShare(this.args, entry, this.#context);
    const context = this.#context;
    const database = kindWord >>> DATABASE_SHIFT;
    const { store } = this.#options;
    context.database = database;
    context.keyspace = store.databases[database]!;
    context.connection = words[word + Request.connection]!;
    this.#page.actor = this.#users.rowOf(context.connection);
    context.reply.protocol = (kindWord & RequestFlag.resp3) === 0 ? 2 : 3;
    store.noTouch = (kindWord & RequestFlag.noTouch) !== 0 && entry.lowerName !== 'touch';
    store.seesExpired = this.#role.isReported(context.connection);
    store.reportsEnds = this.#role.isReplica && !store.seesExpired;
    return entry;
  }

  get traced(): TracedCommands {
    return this.#options.traced;
  }

  get pointedSpans(): number {
    return this.#pointedSpans;
  }

  /**
   * Runs a command that the current script calls. Its reply is what the sender's writer has after its mark. Times and
   * failures are its own, but it is no request: no band and no queue time counts it.
   */
  runCalled(frame: Frame): void {
    const startUs = this.nowUs;
    const entry = this.point(frame);
    const { effects } = this.#options;
    const before = effects.mark;
    const effectsBefore = this.#turn.effects.length;
    if (entry.mayChange && effects.isFreezing) this.keys.preserve(frame, effects);
    this.execute(entry, MODES.called, frame);
    // A script never blocks: the command finds nothing instead.
    this.#turn.takeWait();
    this.#turn.takeSteps();
    effects.called(before, effectsBefore);
    const executeUs = this.nowUs - startUs;
    if (this.#keyUse.isOn) this.counts.use(frame, entry, executeUs, true);
    this.counts.called(entry, executeUs);
  }

  /** Counts a command that a script has called, and that was answered here without being run. */
  answeredHere(entry: CommandEntry): void {
    const startUs = this.nowUs;
    this.nowUs = this.#options.clock.nowUs();
    this.counts.called(entry, this.nowUs - startUs);
  }

  /** Publishes the command about to run. */
  start(frame: Frame, entry: CommandEntry, sequence = frame.sequence, step = 0): void {
    const values = this.#values;
    this.#options.events.begin(this.#context.connection, sequence, step);
    this.setNow();
    values[AT.executingSinceUs] = this.nowUs;
    values[AT.executing] = entry.id + 1;
    values[AT.executingClient] = this.#context.connection;
    values[AT.executingFrame] = frame.words === this.#options.linkWords ? frame.word : frame.place;
    if (this.isProbed && commandStart.isWatched) {
      probeStart(entry, this.args, this.#options.slowness.clientIn(this.#context.connection));
    }
    if (!entry.mayChange) return;
    const { effects } = this.#options;
    if (effects.isFreezing) this.keys.preserve(frame, effects);
    effects.begin();
  }

  /** Runs what was pointed at, in a mode, and reads the clock; a client's mistake becomes the reply. */
  execute(entry: CommandEntry, mode: Mode, frame?: Frame, retry?: Wait['retry']): void {
    const context = this.#context;
    this.#sender.writer.clearError();
    this.#turn.enter(mode);
    try {
      const { command } = entry;
      if (retry !== undefined) retry(context, this.args);
      else if (command.route === 'oneShard') command.run(context, this.args);
      else if (command.route === 'byKey') answerWhole(command, context, this.args);
      else unreachable('what runs whole in a shard has keys');
    } catch (error) {
      this.#fail(error, entry, frame);
    } finally {
      this.#turn.leave();
    }
    this.nowUs = this.#options.clock.nowUs();
  }

  /** True when a command that waits would answer, were it run on this shard's keys; an error is an answer. */
  isReady(frame: Frame, ready: NonNullable<Wait['ready']>): boolean {
    this.point(frame);
    this.#turn.enter(MODES.ownKeys);
    try {
      return ready(this.#context, this.args);
    } catch (error) {
      replyTo(error);
      return true;
    } finally {
      this.#turn.leave();
    }
  }

  /** Logs the changes of the command. */
  #keep(frame: Frame, traced: TracedCommands | undefined): void {
    const bytes = this.#options.effects.end(frame);
    if (traced === undefined || bytes === 0) return;
    const sinceUs = this.nowUs;
    this.nowUs = this.#options.clock.nowUs();
    traced.logged(bytes, sinceUs, this.nowUs);
  }

  /** Replies with the error that was thrown. `frame` is undefined if nothing is logged. */
  #fail(error: unknown, entry: CommandEntry, frame: Frame | undefined): void {
    const reply = replyTo(error);
    this.#sender.rewind();
    this.#sender.writer.error(reply);
    if (reply !== errors.outOfResources || frame === undefined || !entry.mayChange) return;
    // The command may have changed some of its keys: their current values are logged.
    this.#options.effects.leaves(this.keys.written(frame));
    this.point(frame);
  }

  /** Ends the reply of a frame's command and counts it; `sinceUs` is its queue time, or WAITED. */
  #finish(frame: Frame, entry: CommandEntry, startUs: number, sinceUs: number): void {
    const { words, word } = frame;
    const queueUs = Math.max(sinceUs, 0);
    const sequence = frame.sequence;
    if ((words[word + Request.kind]! & RequestFlag.mute) !== 0) this.#sender.discard();
    if (this.#keyUse.isOn) this.counts.use(frame, entry, this.nowUs - startUs);
    this.#options.events.sendAhead();
    if (isTraced(frame)) {
      const { errorText } = this.#sender.writer;
      this.#options.traced.send(frame, { startUs, endUs: this.nowUs, queueUs: sinceUs, errorText });
    }
    this.counts.replyBytes = this.#sender.written;
    this.#sender.end(sequence, this.nowUs | 0);
    this.counts.ran(frame, entry, startUs, queueUs);
  }

  /** True unless the command that is being run only reads. */
  get isWriting(): boolean {
    const executing = this.#values[AT.executing]!;
    return executing === 0 || this.#entries[executing - 1]?.mayChange !== false;
  }

  /** Microseconds from main's taking the command up to its start here. */
  queueUs({ words, word }: Frame, startUs: number): number {
    return this.#page.waited((startUs - words[word + Request.enqueuedUs]!) | 0);
  }

  /** Wall-clock time at the last reading of the monotonic one. */
  get unixMs(): number {
    return this.unixLeadMs + this.nowUs / 1_000;
  }

  /** Unix milliseconds at the zero of the monotonic clock. */
  get unixLeadMs(): number {
    return this.#wallClock.beginMs;
  }
}
