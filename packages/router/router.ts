/**
 * From a parsed command to the shards that run it, and their answers back in order.
 *
 * Main is the only sequencer: it appends a command's frames to all rings that the command needs within
 * one call, or to none, and a ring is FIFO. So all shards see commands in one global order.
 *
 * Large because it is the one way from main to its shards: commands, turns, clients and feeds enter by it, and most
 * members pass on to the part that does the work.
 */

import { type Bytes, CommandError, errors } from '#base';
import { Arguments, type CommandEntry, commandTable } from '#commands';
import { AT } from '#stats';
import { type Control, encodeMessage, type FeedOrder, FrameKind } from '#link';
import type { ParsedCommand } from '#resp';
import type { Answers, Write } from './replies/answers.ts';
import type { Client } from './clients/client.ts';
import { mayWrite } from './multi/transaction.ts';
import type { KeyDiscovery } from './routes/key-discovery.ts';
import type { KeyMigrations } from './migration/key-migrations.ts';
import { refusalOf } from './clients/refusal.ts';
import type { Replies } from './replies/replies.ts';
import { broadcastTo } from './shards/shard-broadcast.ts';
import type { ShardCalls } from './shards/shard-calls.ts';
import type { ClientRegistry } from './clients/client-registry.ts';
import type { Routes } from './routes/routes.ts';
import { emptyHead, type RequestHead, type ShardLink } from './shards/shard-link.ts';
import type { Tracing } from './tracing.ts';
import type { Scripts } from './scripts/scripts.ts';
import type { Transactions } from './transactions/transactions.ts';
import { isHttp, unknownCommand } from './unknown-command.ts';
import type { BlockedClients } from './blocked/blocked-clients.ts';
import { CommandWatchers } from './command-watcher.ts';
import { newParts, type RouterOptions } from './router-parts.ts';

const NOTHING: Bytes = new Uint8Array(0);

type Taking = 'taken' | 'long' | 'full' | 'held';

const WATCH = commandTable.byName('WATCH');

export class Router {
  readonly transactions: Transactions;
  readonly scripts: Scripts;
  readonly tracing: Tracing;
  readonly shardCalls: ShardCalls;
  readonly keyMigrations: KeyMigrations;
  readonly blockedClients: BlockedClients;
  /** Watchers of all commands that are sent on. */
  readonly watchers = new CommandWatchers();
  readonly #options: RouterOptions;
  readonly #links: readonly ShardLink[];
  readonly #values: Float64Array;
  readonly #clientRegistry: ClientRegistry;
  readonly #answers: Answers;
  readonly #replies: Replies;
  readonly #routes: Routes;
  readonly #keyDiscovery: KeyDiscovery;
  readonly #args = new Arguments();
  readonly #wrote = (client: Client): void => {
    this.#options.replication.wrote(client);
  };

  constructor(options: RouterOptions) {
    const { links, page } = options;
    this.#options = options;
    this.#links = links;
    this.#values = page.values;
    const parts = newParts(options, this.watchers.see);
    this.#clientRegistry = parts.clientRegistry;
    this.#answers = parts.answers;
    this.#routes = parts.routes;
    this.#keyDiscovery = parts.keyDiscovery;
    this.#replies = parts.replies;
    this.tracing = parts.tracing;
    this.shardCalls = parts.shardCalls;
    this.keyMigrations = parts.keyMigrations;
    this.blockedClients = parts.blockedClients;
    this.scripts = parts.scripts;
    this.transactions = parts.transactions;
  }

  /** Unix milliseconds of the turn. */
  get nowMs(): number {
    return this.#clientRegistry.nowMs;
  }

  /** Monotonic microseconds of the turn. */
  get nowUs(): number {
    return this.#clientRegistry.nowUs;
  }

  /** Sets the monotonic and the wall time of the commands dispatched next. */
  readClock(): void {
    this.#clientRegistry.readClock();
    this.scripts.busy.look(this.#clientRegistry.nowUs);
  }

  /** Takes the monotonic time only; wall-clock time is that of the turn. */
  readMonotonic(): void {
    this.#clientRegistry.readMonotonic();
  }

  // Clients.

  addClient(make: (slot: number) => Client): Client {
    return this.#clientRegistry.add(make);
  }

  /** Removes a disconnected client, once the shards have replied to all of its commands. */
  removeClient(client: Client): void {
    if (this.blockedClients.has(client)) this.blockedClients.giveUp(client);
    else this.#answers.giveUpWait(client);
    this.transactions.discard(client);
    this.#clientRegistry.remove(client);
  }

  clientInSlot(slot: number): Client | undefined {
    return this.#clientRegistry.inSlot(slot);
  }

  /** Leaves the reply of the command being run for later; its client waits meanwhile. */
  defer(client: Client, timedOut?: Write): (write: Write) => void {
    return this.#answers.defer(client, timedOut);
  }

  /** Replies to all pending commands of a client with an error, and closes it: there will be no other replies. */
  abandon(client: Client, error: CommandError): void {
    this.#answers.abandon(client, error);
  }

  /** Replies to a breach of the protocol, and closes; or returns why it must be offered again later. */
  protocolError(client: Client, text: string): 'taken' | 'held' {
    // The reply must not come before or within that of a blocked command or a transaction.
    if (client.wait.isOccupied) return this.#clientRegistry.hold(client);
    client.quit();
    this.#answers.error(client, new CommandError(text));
    return 'taken';
  }

  /** Something that made clients wait has ended. */
  retryAll(): void {
    this.#clientRegistry.retryHeld();
  }

  // Dispatch.

  /** Takes one command, or answers why it must be offered again later. */
  dispatch(client: Client, command: ParsedCommand): Taking {
    const sequence = client.replies.nextSequence;
    try {
      return this.#dispatch(client, command);
    } catch (error) {
      if (client.replies.nextSequence !== sequence) {
        throw new Error('a command that may have been sent in part has failed', { cause: error });
      }
      if (client.transaction !== undefined) client.transaction.isBroken = true;
      this.#answers.error(client, refusalOf(error));
      return 'taken';
    }
  }

  #dispatch(client: Client, command: ParsedCommand): Taking {
    if (client.isDeaf) return 'taken';
    if (client.wait.isOccupied) return this.#clientRegistry.hold(client);
    if (client.replies.isFull) return this.#clientRegistry.throttle(client);
    return this.#take(client, command);
  }

  #take(client: Client, command: ParsedCommand): Taking {
    const args = this.#args;
    const { source, spans, at } = command;
    args.point(source, at, spans, 0, command.count);
    const entry = this.#find(client, args);
    if (entry === undefined) return 'taken';
    this.#values[AT.workCommand] = entry.id + 1;
    const verdict = this.#verdict(client, entry, args);
    if (verdict === 'wait') return this.#clientRegistry.hold(client);
    if (entry.awaitsReplies && mustAwaitReplies(client)) {
      return this.#clientRegistry.holdUntilAnswered(client);
    }
    if (this.tracing.isOn) this.tracing.take(client, entry, args);
    else if (client.traces.current !== undefined) client.traces.current = undefined;
    const refusal = verdict ?? this.#refusalOf(client, entry, args);
    if (refusal !== undefined) {
      this.#refuse(client, entry, refusal);
      return 'taken';
    }
    if (client.transaction !== undefined && this.transactions.queues(client, entry, command)) {
      return 'taken';
    }
    const { account } = client;
    account.lastCommandMs = this.#clientRegistry.nowMs;
    account.lastCommandId = entry.id;
    if (!this.#send(client, entry, args, command)) {
      this.tracing.giveBack(client);
      return this.#clientRegistry.stall(client);
    }
    if (this.watchers.isOn) this.watchers.see(client, entry, args);
    if (client.wait.awaitsReply) account.isCountedLater = true;
    else this.#clientRegistry.count(client);
    return this.#answers.hasTakenLong(entry) ? 'long' : 'taken';
  }

  /** Reason why a command is not run now. What a primary sends is run, and waits for a busy script only. */
  #verdict(
    client: Client,
    entry: CommandEntry,
    args: Arguments,
  ): CommandError | 'wait' | undefined {
    if (client.roles.isPrimary) return this.scripts.busy.isAny ? 'wait' : undefined;
    return this.#options.gate(client, entry, args);
  }

  #send(client: Client, entry: CommandEntry, args: Arguments, command: ParsedCommand): boolean {
    if (mayWrite(entry, client.transaction)) client.wrote = this.#wrote;
    // Who watches reads it when it is sent, and who waits may send it again.
    if (this.watchers.isOn || entry.mayWait) command.isGivable = false;
    if (entry.route === 'exec') return this.transactions.exec(client, entry);
    if (entry.script !== undefined) return this.scripts.send(client, entry, args, command);
    if (this.#keyDiscovery.concerns(entry, args))
      return this.#keyDiscovery.send(client, entry, command);
    if (entry.mayWait) return this.blockedClients.send(client, entry, args, command);
    if (!this.#routes.send(client, entry, args, command)) return false;
    if (entry === WATCH) this.transactions.watches(client, args);
    return true;
  }

  /** Error of a command for which there is no memory, or that would wait for a busy script. */
  #refusalOf(client: Client, entry: CommandEntry, args: Arguments): CommandError | undefined {
    const refusal = this.#memoryRefusal(client, entry);
    if (refusal !== undefined || !this.scripts.busy.isAny) return refusal;
    return this.scripts.busyRefusal(client, entry, args);
  }

  #memoryRefusal(client: Client, entry: CommandEntry): CommandError | undefined {
    const denies = entry.route === 'exec' ? client.transaction?.queue.deniesOom : entry.deniesOom;
    if (denies !== true || client.roles.isPrimary) return undefined;
    if (!this.#options.isOutOfMemory()) return undefined;
    this.#values[AT.oomRejections] = this.#values[AT.oomRejections]! + 1;
    return errors.outOfMemory;
  }

  /** Replies with the reason why the command is not run; a transaction that contains it is not run either. */
  #refuse(client: Client, entry: CommandEntry, error: CommandError): void {
    // With or without MULTI, as in Redis.
    const isExec = entry.route === 'exec';
    if (isExec) this.transactions.discard(client);
    else if (client.transaction !== undefined) client.transaction.isBroken = true;
    this.#answers.reject(client, entry, isExec ? errors.execRefused(error) : error);
  }

  /** The command meant, or undefined when an error was answered instead. */
  #find(client: Client, args: Arguments): CommandEntry | undefined {
    const top = commandTable.find(args.source, args.at(0), args.length(0));
    if (top === undefined) {
      if (isHttp(args)) {
        this.#options.spokeHttp(client);
        return undefined;
      }
      if (client.transaction !== undefined) client.transaction.isBroken = true;
      const refusal = this.#options.failureRefusal(client, args);
      this.#answers.error(client, refusal ?? unknownCommand(args));
      return undefined;
    }
    const entry = top.route === 'container' ? this.#findSubcommand(client, top, args) : top;
    if (entry === undefined) return undefined;
    if (!entry.admits(args.count)) {
      const refusal = this.#options.failureRefusal(client, args);
      this.#refuse(client, entry, refusal ?? entry.wrongArguments(args));
      return undefined;
    }
    return entry;
  }

  #findSubcommand(client: Client, top: CommandEntry, args: Arguments): CommandEntry | undefined {
    if (args.count < 2) {
      if (top.bare !== undefined) return top.bare;
      const refusal = this.#options.failureRefusal(client, args);
      this.#refuse(client, top, refusal ?? errors.wrongArguments(top.lowerName));
      return undefined;
    }
    args.position = 2;
    const found = top.subcommand(args.source, args.at(1), args.length(1));
    if (found === undefined) {
      const refusal = top.isProtected ? this.#verdict(client, top, args) : undefined;
      if (refusal instanceof CommandError) {
        this.#refuse(client, top, refusal);
        return undefined;
      }
      const name = args.latin1(1);
      if (client.transaction !== undefined) client.transaction.isBroken = true;
      const limit = this.#options.failureRefusal(client, args);
      this.#answers.error(client, limit ?? top.unknownSubcommand(name));
    }
    return found;
  }

  /** Sends an order about the replication feed, at this place of the order of all commands. */
  orderFeed(order: FeedOrder): void {
    if (order.kind !== 'abandon') this.#routes.hasFeed = order.kind !== 'end';
    const body = encodeMessage(order);
    for (const link of this.#routes.links) {
      link.sendMessage({ ...emptyHead(), kind: FrameKind.feed }, body);
    }
  }

  /** Grants a shard `byteCount` more bytes of a full sync. */
  grantSync(shard: number, number: number, byteCount: number): void {
    const head = { ...emptyHead(), kind: FrameKind.rdb, connection: number, sequence: byteCount };
    this.#routes.links[shard]?.sendMessage(head, NOTHING);
  }

  /** True while shards log their changes, and every shard has to log transactions of several shards completely. */
  set isDurable(value: boolean) {
    this.#routes.isDurable = value;
  }

  // Control.

  /** Puts a frame without a body into all rings, at one place of the order. */
  toAll(head: RequestHead): void {
    for (const link of this.#links) link.sendMessage(head, new Uint8Array(0));
  }

  /** Sends a control message to every shard, in order with the commands. */
  broadcast(control: Control): void {
    broadcastTo(this.#links, control);
  }

  // Replies.

  /** Publishes dispatched commands to the shards, and wakes sleeping ones. */
  publish(): void {
    for (const link of this.#links) {
      link.retryBacklog();
      if (link.requests.publish()) link.requests.wakeReader();
    }
  }

  /** Takes all replies there are, and offers again what waited for room. */
  drain(): void {
    this.#clientRegistry.worksFor(undefined);
    this.scripts.waiting.answer();
    this.#replies.drain();
    this.#options.replication.drained();
    this.transactions.retry();
    this.scripts.retry();
    this.blockedClients.retry();
    this.#keyDiscovery.retry();
    this.#clientRegistry.retryStalled();
    this.#clientRegistry.worksFor(undefined);
  }

  /** True while shards have commands of clients that are not blocked. */
  get isBusy(): boolean {
    return this.transactions.isAtBarrier || this.#clientRegistry.isBusy;
  }

  /** Discards all available replies: main has failed, and shards must not wait for it. */
  dropReplies(): void {
    this.#replies.drop();
  }

  /** True when a shard has published something, or made room that a client waits for, since `drain`. */
  get hasWork(): boolean {
    if (this.#replies.hasReplies) return true;
    const isWaiting =
      this.#clientRegistry.hasStalled ||
      this.transactions.isAtBarrier ||
      this.scripts.isWaiting ||
      this.blockedClients.hasResends ||
      this.#keyDiscovery.hasResends;
    return isWaiting && this.#links.some((link) => link.hasNewRoom);
  }
}

/** True while replies to the client are pending; commands queued by a transaction do not count. */
function mustAwaitReplies(client: Client): boolean {
  return client.replies.outstanding > 0 && client.transaction === undefined;
}
