/**
 * Transactions: queued on main, run in one of three ways. Nearly all are sent to one shard as one frame, and the shards
 * that own other keys lend it theirs (exec-plan.ts). A short read-only one with a command of all shards (DBSIZE, KEYS,
 * ...) is sent command by command without interruption: no command of another client comes in between in any ring, and
 * each key is used in the order of the rings. One with any other command that is not for a single shard (FLUSHALL,
 * SELECT, PUBLISH, ...) runs at a barrier: all shards stop at EXEC's place in the order, main sends the commands, the
 * shards continue.
 */

import { type Clock, type CommandError, errors, keyName, unreachable } from '#base';
import { ALLOWED } from '#acl';
import { Arguments, type CommandEntry, commandTable } from '#commands';
import { FrameKind, type LinkMemory, RequestFlag } from '#link';
import { type CommandBytes, OwnedReply } from '#resp';
import type { CommandStats } from '../replies/command-stats.ts';
import type { Answers } from '../replies/answers.ts';
import type { Client } from '../clients/client.ts';
import { CommandQueue, pointAt, QUEUE_BYTES_MAX } from '../multi/command-queue.ts';
import { BarrierTransaction } from './barrier-transaction.ts';
import { planExec } from '../multi/exec-plan.ts';
import type { KeyDiscovery } from '../routes/key-discovery.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import { askLenders, lendHead, type Routes } from '../routes/routes.ts';
import { emptyHead, type RequestHead } from '../shards/shard-link.ts';
import { Transaction } from '../multi/transaction.ts';
import { NO_WATCHES, Watches } from '../multi/watches.ts';
import type { Scripts } from '../scripts/scripts.ts';

/** Commands that are done at once, and not queued, inside a transaction. */
export const NOT_QUEUED: ReadonlySet<CommandEntry> = new Set(
  ['MULTI', 'EXEC', 'DISCARD', 'WATCH', 'QUIT', 'RESET'].flatMap(
    (name) => commandTable.byName(name) ?? [],
  ),
);
const WATCH = commandTable.byName('WATCH');

/** Most commands of a transaction that is sent command by command: their replies are not waited for. */
const READS_MAX = 32;
/** Bytes of a command's frames beyond its queued one, at most: where keys are lent, it has two. */
const READ_BYTES = 128;

interface TransactionsOptions {
  readonly memory: LinkMemory;
  readonly routes: Routes;
  readonly clientRegistry: ClientRegistry;
  readonly answers: Answers;
  readonly commandStats: CommandStats;
  readonly clock: Clock;
  readonly keyDiscovery: KeyDiscovery;
  readonly scripts: Scripts;
  /** Says why the client may not run a command that it has queued. */
  refusal(client: Client, entry: CommandEntry, args: Arguments): CommandError | undefined;
  /** Most bytes that a client may queue. */
  queuedBytesMax(): number;
  /** A queued command was sent on. */
  sent(client: Client, entry: CommandEntry, args: Arguments): void;
  /** A client has queued more than it may. */
  countTooLong(): void;
  /** A transaction is run at a barrier. */
  countBarrier(): void;
  /** Counts the time for which all shards stopped. */
  countBarrierTime(us: number): void;
}

export class Transactions {
  readonly #options: TransactionsOptions;
  readonly #barriers = new Map<Client, BarrierTransaction>();

  constructor(options: TransactionsOptions) {
    this.#options = options;
  }

  begin(client: Client): void {
    client.transaction = new Transaction(client.session.identity.rules);
  }

  /** Ends the transaction and all watches. */
  discard(client: Client): void {
    client.transaction = undefined;
    this.unwatch(client);
  }

  unwatch(client: Client): void {
    const shards = new Set(client.watches.keys.values());
    client.watches = NO_WATCHES;
    const head = { ...emptyHead(), kind: FrameKind.unwatch, connection: client.slot };
    for (const shard of shards) {
      this.#options.routes.links[shard]!.sendMessage({ ...head }, new Uint8Array(0));
    }
  }

  /** True when the command is for the queue, or may not be sent at all; then it is answered. */
  queues(client: Client, entry: CommandEntry, command: CommandBytes): boolean {
    const { transaction } = client;
    const { answers } = this.#options;
    if (transaction === undefined) return false;
    if (entry === WATCH) {
      answers.fail(client, entry, errors.watchInMulti);
      return true;
    }
    if (NOT_QUEUED.has(entry)) return false;
    if (entry.has('no_multi')) {
      transaction.isBroken = true;
      answers.reject(client, entry, errors.notInTransaction);
      return true;
    }
    // An EXEC that is bound to fail needs no queue.
    const { queue } = transaction;
    const wanted = client.roles.isPrimary ? Infinity : this.#options.queuedBytesMax();
    const bytesMax = Math.min(wanted, QUEUE_BYTES_MAX);
    if (queue.payloadBytes + command.length > bytesMax) {
      this.#options.countTooLong();
      client.socket.destroy();
      return true;
    }
    if (!transaction.isBroken) queue.add(entry, command);
    answers.queued(client);
    return true;
  }

  /** Keys of a WATCH that was sent. */
  watches(client: Client, args: Arguments): void {
    const { ownership } = this.#options.routes;
    if (client.watches === NO_WATCHES) client.watches = new Watches();
    const { watches } = client;
    for (let index = 1; index < args.count; index += 1) {
      const at = args.at(index);
      const length = args.length(index);
      const shard = ownership.ownerOf(args.source, at, length);
      watches.add(keyName(client.session.database, args.source, at, length), shard);
    }
  }

  /** EXEC: false when a ring is full, and then nothing was done. */
  exec(client: Client, entry: CommandEntry): boolean {
    const { transaction } = client;
    const { answers } = this.#options;
    answers.tookLong = false;
    if (transaction === undefined) {
      answers.fail(client, entry, errors.execWithoutMulti);
      return true;
    }
    if (transaction.isBroken) {
      this.discard(client);
      answers.fail(client, entry, errors.execAborted);
      return true;
    }
    const { queue } = transaction;
    const { routes } = this.#options;
    const isWatching = client.watches.keys.size > 0;
    const isForOneShard = queue.isForOneShard && (!queue.hasScripts || routes.links.length === 1);
    if (isForOneShard && (queue.count > 0 || isWatching) && !this.#hasRevoked(client)) {
      return this.#sendToHost(client, entry, transaction);
    }
    if (
      queue.onlyReads &&
      queue.count > 0 &&
      !isWatching &&
      this.#sendReads(client, entry, transaction)
    ) {
      return true;
    }
    return this.#beginAtBarrier(client, entry, queue.needsShards || isWatching);
  }

  /** True when the client may not run all that it has queued, since its user's rules have changed. */
  #hasRevoked(client: Client): boolean {
    const { transaction, session } = client;
    const { identity } = session;
    if (transaction === undefined || transaction.rules === identity.rules) return false;
    const args = new Arguments();
    for (const entry of transaction.queue.pointAtEach(args)) {
      if (identity.rules.judge(entry, args) !== ALLOWED) return true;
    }
    return false;
  }

  #sendToHost(client: Client, entry: CommandEntry, { queue }: Transaction): boolean {
    const { routes } = this.#options;
    const plan = planExec(queue, client.session.database, client.watches.keys, routes.ownership);
    const transaction = routes.nextTransaction();
    const host = routes.linkFor(client, plan.host);
    if (queue.hasScripts) this.#options.scripts.introduceAll(queue, plan.host);
    const head = routes.fillHead(client, entry, FrameKind.exec);
    if (queue.hasScripts) head.flags |= RequestFlag.scripts;
    const isWatching = client.watches.keys.size > 0;
    if (isWatching) head.flags |= RequestFlag.watches;
    const payload = queue.payload({
      flags: head.flags & (RequestFlag.resp3 | RequestFlag.noTouch | RequestFlag.traced),
      database: client.session.database,
      connection: client.slot,
      transaction,
      lenders: plan.lenders.size,
    });
    const hostSize = host.payloadSize(payload);
    const hostAt = host.reserve(hostSize);
    const places = routes.placeLenders(plan);
    if (hostAt < 0 || places === undefined) return false;
    head.sequence = client.replies.takeSequence();
    host.writePayload(hostAt, hostSize, head, queue.count, payload);
    const lend = lendHead(head, plan.host, transaction);
    lend.enqueuedUs = isWatching ? client.slot + 1 : 0;
    askLenders(places, lend);
    this.#showSent(client, queue);
    client.transaction = undefined;
    client.watches = NO_WATCHES;
    if (client.session.replyMode !== 'on') client.session.endMuting();
    return true;
  }

  /** Sends read-only commands without interruption; returns false, without having sent any, if there is no room for all. */
  #sendReads(client: Client, entry: CommandEntry, { queue }: Transaction): boolean {
    const { routes, answers, commandStats, clock } = this.#options;
    if (
      queue.count > READS_MAX ||
      client.session.replyMode !== 'on' ||
      client.traces.current !== undefined
    ) {
      return false;
    }
    const ringBytes = 2 * queue.payloadBytes + READ_BYTES * queue.count;
    const hasRoom = routes.links
      .map(({ index }) => routes.linkFor(client, index))
      .every((link) => link.hasRoom(ringBytes));
    if (!hasRoom || this.#hasRevoked(client)) return false;
    const beganUs = clock.nowUs();
    client.transaction = undefined;
    const head = new OwnedReply(client.session.protocol);
    head.arrayHeader(queue.count);
    const bytes = head.take();
    client.replies.deliver(client.replies.takeSequence(), 1, bytes, 0, bytes.length);
    const args = new Arguments();
    for (const { entry: read, command } of queue.commands()) {
      pointAt(args, read, command);
      if (!routes.send(client, read, args, command)) unreachable('the rings have room');
      this.#options.sent(client, read, args);
    }
    answers.actFor(client);
    commandStats.ran(entry, clock.nowUs() - beganUs);
    return true;
  }

  #showSent(client: Client, queue: CommandQueue): void {
    const args = new Arguments();
    for (const entry of queue.pointAtEach(args)) {
      this.#options.sent(client, entry, args);
      client.replies.step += 1;
    }
    client.replies.step = 0;
  }

  #beginAtBarrier(client: Client, entry: CommandEntry, needsBarrier: boolean): boolean {
    const { routes, clientRegistry, memory, keyDiscovery, scripts } = this.#options;
    if (needsBarrier && !this.#stopShards(client)) return false;
    const queue = client.transaction?.queue ?? new CommandQueue();
    client.transaction = undefined;
    client.watches = NO_WATCHES;
    if (needsBarrier) this.#options.countBarrier();
    const barrier = new BarrierTransaction({
      client,
      queue,
      routes,
      memory,
      keyDiscovery,
      scripts,
      clock: this.#options.clock,
      refusal: (entry, args) => this.#options.refusal(client, entry, args),
      answers: this.#options.answers,
      sent: (entry, args) => {
        this.#options.sent(client, entry, args);
      },
      shardsToStop: needsBarrier ? routes.links.length : 0,
      prepare: () => {
        if (!needsBarrier || !routes.endsTogether) return 0;
        const kind = FrameKind.prepare;
        this.#reportShards({ kind, connection: client.slot, sequence: routes.nextTransaction() });
        return routes.links.length;
      },
      done: (executeUs, endUs) => {
        this.#options.answers.actFor(client);
        this.#options.answers.took(executeUs, endUs);
        this.#options.commandStats.ran(entry, executeUs);
        this.#barriers.delete(client);
        if (needsBarrier) {
          this.#options.countBarrierTime(executeUs);
          this.#reportShards({ kind: FrameKind.resume });
        }
        clientRegistry.finishIfGone(client);
        clientRegistry.retry(client);
      },
    });
    this.#barriers.set(client, barrier);
    barrier.start();
    return true;
  }

  /** Stops all shards at this place of the order, or none. */
  #stopShards(client: Client): boolean {
    const { links } = this.#options.routes;
    const places = links.map((link) => {
      const size = link.frameSize(0, 0);
      return { link, size, at: link.reserve(size) };
    });
    if (places.some(({ at }) => at < 0)) return false;
    const head = { ...emptyHead(), kind: FrameKind.barrier, connection: client.slot };
    const nothing = new Uint8Array(0);
    for (const { link, size, at } of places) link.writePayload(at, size, head, 0, nothing);
    return true;
  }

  #reportShards(what: Partial<RequestHead>): void {
    for (const link of this.#options.routes.links) {
      link.sendMessage({ ...emptyHead(), ...what }, new Uint8Array(0));
    }
  }

  /** A shard has stopped for a client's transaction. */
  stopped(client: Client, watchBroken: boolean): void {
    this.#barriers.get(client)?.stopped(watchBroken);
  }

  /** A shard has ended a client's transaction in its log. */
  prepared(client: Client): void {
    this.#barriers.get(client)?.prepared();
  }

  /** Continues transactions that found a ring full. */
  retry(): void {
    if (!this.isAtBarrier) return;
    for (const barrier of [...this.#barriers.values()]) barrier.advance();
  }

  get isAtBarrier(): boolean {
    return this.#barriers.size > 0;
  }
}
