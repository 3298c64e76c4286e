/**
 * Clients that wait for a blocking command: where they wait, until when, and who may answer them.
 *
 * With all keys on one shard, that shard decides; main only says when the time is over. With keys on several
 * shards, main decides which of them runs the command: first by the shards' offers, later by who wakes it
 * first. A client is therefore answered once.
 */

import { asBuffer, type Bytes, type CommandError, errors, keySlot, LongTimer } from '#base';
import { Arguments, type CommandEntry, findKeys } from '#commands';
import { FrameKind, HOST_WORDS, ReplyFlag, Unpark, Verdict } from '#link';
import { type CommandBytes, OwnedReply } from '#resp';
import type { Client } from '../clients/client.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import type { CommandStats } from '../replies/command-stats.ts';
import { resume, type Routes, type SentBefore } from '../routes/routes.ts';
import type { OfferAnswer } from '../replies/offer-answer.ts';
import { emptyHead } from '../shards/shard-link.ts';
import { awaitedKeyOf } from '../clients/awaited-key.ts';
import { ownedCopy } from '../multi/transaction.ts';

/** Item that a command answers for one key. */
interface Item {
  /** Index of the key's argument. */
  readonly index: number;
  readonly bytes: Bytes;
}

interface SentCommand {
  readonly entry: CommandEntry;
  readonly command: CommandBytes;
}

/** One client's wait, from the dispatch of its command to the reply. */
interface ClientWait {
  readonly sequence: number;
  /** Shards that may answer: one shard, or the shards of an offer. */
  readonly shards: readonly number[];
  readonly isMuted: boolean;
  readonly entry: CommandEntry;
  /** Slot of its first key; -1 where slots are of no meaning. */
  readonly slot: number;
  /** Transaction of an offer, and the shards' answers to it. */
  transaction: number;
  offers: OfferAnswer[];
  /** The command answers an item for each key. */
  readonly isForEach: boolean;
  readonly items: Item[];
  itemsLeft: number;
  /** The command, when main may have to send it again: its keys are on several shards. */
  readonly again: SentCommand | undefined;
  /** True while the shards are asked again, since the offered elements are no longer there. */
  isAsking: boolean;
  /** True once the reply is pending or sent, so that no other decision is possible. */
  isDecided: boolean;
  isParked: boolean;
  /** Somebody wanted it to end while that could not be done. */
  stop: { readonly error: CommandError | undefined } | undefined;
  timer: LongTimer | undefined;
  /** Callbacks of requests to end the wait, in their order: called when it has ended, with whether they have ended it. */
  readonly enders: ((isDone: boolean) => void)[];
  /** True if the wait was ended on request, not by an event. */
  isStopped: boolean;
}

/** Returns the code by which a shard selects its reply. */
function unparkFor(error: CommandError | undefined): number {
  if (error === undefined) return Unpark.timeout;
  if (error === errors.unblocked) return Unpark.error;
  return error === errors.roleChanged ? Unpark.roleChanged : Unpark.reported;
}

/** Says why a client may not wait any longer for its command, whose keys are in that slot. */
type WaitJudge = (client: Client, entry: CommandEntry, slot: number) => CommandError | undefined;

const NOTHING: Bytes = new Uint8Array(0);

interface BlockedClientsOptions {
  readonly routes: Routes;
  readonly clientRegistry: ClientRegistry;
  readonly commandStats: CommandStats;
  /** Starts a turn, at whose end frames are published to the shards. */
  beginTurn(): void;
}

export class BlockedClients {
  readonly #options: BlockedClientsOptions;
  readonly #blocked = new Map<Client, ClientWait>();
  /** Waits whose command is to be sent again, and found a ring full. */
  readonly #resends = new Set<Client>();
  readonly #args = new Arguments();
  /** Slots are noted, since they may leave this server. */
  hasSlots = false;

  constructor(options: BlockedClientsOptions) {
    this.#options = options;
  }

  has(client: Client): boolean {
    return this.#blocked.has(client);
  }

  /** Sends a command that may wait; false when a ring is full, and then nothing was sent. */
  send(client: Client, entry: CommandEntry, args: Arguments, command: CommandBytes): boolean {
    const { routes } = this.#options;
    const { command: definition } = entry;
    const owners = routes.ownersOf(entry, args);
    const isOffered =
      owners.length > 1 && definition.route === 'oneShard' && isOfferedWay(definition.acrossShards);
    const transaction = isOffered ? routes.nextTransaction() : 0;
    const sequence = client.replies.nextSequence;
    const { isMuted } = client.session;
    if (isOffered) {
      if (!this.#offer(client, { entry, command }, owners, transaction)) return false;
    } else if (!routes.send(client, entry, args, command)) {
      return false;
    }
    if (!isOffered && !wantsToWait(entry, args)) return true;
    const wait: ClientWait = {
      sequence,
      isMuted,
      entry,
      slot: this.hasSlots ? firstSlot(entry, args) : -1,
      transaction,
      shards: owners,
      offers: [],
      items: [],
      itemsLeft: 0,
      isForEach: definition.route === 'oneShard' && definition.acrossShards === 'each',
      again: owners.length > 1 ? { entry, command: ownedCopy(command) } : undefined,
      isAsking: false,
      isDecided: false,
      isParked: false,
      stop: undefined,
      timer: undefined,
      enders: [],
      isStopped: false,
    };
    this.#blocked.set(client, wait);
    client.wait.awaitedKey = awaitedKeyOf(entry, args);
    client.wait.awaitsReply = true;
    // Set now: this command precedes the one that unblocks it, though it may still be in flight.
    client.wait.unblock = (error, ended) => {
      wait.enders.push(ended);
      if (wait.enders.length > 1) return;
      this.#stop(client, wait, error);
    };
    client.wait.answered = () => {
      this.#end(client, wait);
    };
    return true;
  }

  #offer(
    client: Client,
    { entry, command }: SentCommand,
    owners: readonly number[],
    transaction: number,
    before?: SentBefore,
  ): boolean {
    const { routes } = this.#options;
    const places = owners.map((shard) => {
      const link = routes.linkFor(client, shard);
      const size = link.frameSize(command.count, command.length, HOST_WORDS);
      return { link, size, at: link.reserve(size) };
    });
    if (places.some(({ at }) => at < 0)) return false;
    const head = routes.fillHead(client, entry, FrameKind.offer);
    if (before === undefined) head.sequence = client.replies.takeSequence();
    else resume(head, before);
    for (const { link, at, size } of places) {
      link.writeHost(at, size, head, command, transaction, owners.length);
    }
    if (before === undefined && client.session.replyMode !== 'on') client.session.endMuting();
    return true;
  }

  /** Handles a shard's reply to an offer. */
  offered(client: Client, sequence: number, answer: OfferAnswer): void {
    const wait = this.#find(client, sequence);
    if (wait === undefined) return;
    wait.offers.push(answer);
    if (wait.offers.length < wait.shards.length) return;
    wait.isAsking = false;
    // Elements that existed when the command arrived are returned, regardless of later requests.
    if (wait.stop !== undefined && wait.isParked) {
      this.#stop(client, wait, wait.stop.error);
      return;
    }
    const having = (flag: number): OfferAnswer[] =>
      wait.offers
        .filter(({ flags }) => (flags & flag) !== 0)
        .sort((a, b) => a.firstIndex - b.firstIndex);
    const [refusal] = having(ReplyFlag.error);
    const ready = having(ReplyFlag.ready);
    const [first] = ready;
    if (client.socket.isClosed) {
      this.#settle(wait, client, -1);
      this.#answer(client, wait, undefined);
    } else if (refusal !== undefined) {
      this.#settle(wait, client, refusal.shard);
    } else if (first === undefined && having(ReplyFlag.waits).length === wait.shards.length) {
      for (const shard of wait.shards) this.#judge(client, wait, shard, Verdict.park);
      if (!wait.isParked) this.#park(client, wait, answer.timeoutMs);
    } else if (wait.isForEach) {
      // Those with nothing to answer are asked, too: a group notes who has asked.
      wait.isDecided = true;
      wait.itemsLeft = wait.shards.length;
      for (const shard of wait.shards) this.#judge(client, wait, shard, Verdict.items);
    } else {
      // Without any key, the one asked answers what the command answers then, which may be an error.
      this.#settle(wait, client, first?.shard ?? wait.shards[0]!);
    }
  }

  /** A shard's items of a command that several run. */
  itemsCame(client: Client, sequence: number, body: Bytes): void {
    const wait = this.#find(client, sequence);
    if (wait === undefined) return;
    for (const item of itemsIn(body)) wait.items.push(item);
    wait.itemsLeft -= 1;
    if (wait.itemsLeft > 0) return;
    const items = wait.items.sort((a, b) => a.index - b.index);
    const reply = new OwnedReply(client.session.protocol);
    if (items.length === 0) reply.nilArray();
    else if (client.session.protocol === 3) reply.mapHeader(items.length);
    else reply.arrayHeader(items.length);
    for (const { bytes } of items) reply.raw(bytes);
    if (wait.again !== undefined)
      this.#logSizes(client, wait.again, wait.isMuted ? 0 : reply.writtenBytes);
    this.#answer(client, wait, reply);
  }

  /** Logs a command that several shards ran by its sizes: each has logged its own time. */
  #logSizes(client: Client, { entry, command }: SentCommand, replyBytes: number): void {
    this.#args.point(command.source, command.at, command.spans, 0, command.count);
    this.#options.commandStats.logSizes(client, entry, this.#args, replyBytes);
  }

  /** A shard has ended the wait on request. */
  unparked(client: Client, sequence: number): void {
    const wait = this.#find(client, sequence);
    if (wait !== undefined) wait.isStopped = true;
  }

  /** A shard, or the host of lent keys, has put a command aside. */
  parked(client: Client, sequence: number, timeoutMs: number): void {
    const wait = this.#find(client, sequence);
    if (wait === undefined) return;
    if (wait.transaction !== 0) this.#askAgain(client, wait);
    else if (!wait.isParked) this.#park(client, wait, timeoutMs);
  }

  /** The shard that was to run an offer did not find the elements: all shards start again. */
  #askAgain(client: Client, wait: ClientWait): void {
    wait.isAsking = true;
    wait.isDecided = false;
    wait.offers = [];
    this.#resends.add(client);
    this.retry();
  }

  #park(client: Client, wait: ClientWait, timeoutMs: number): void {
    wait.isParked = true;
    this.#options.clientRegistry.block(client);
    client.releasePushes();
    if (timeoutMs > 0) {
      wait.timer = new LongTimer(timeoutMs, () => {
        this.#options.beginTurn();
        this.#stop(client, wait, undefined);
      });
    }
    // A client that has disconnected meanwhile no longer waits.
    if (wait.stop !== undefined) this.#stop(client, wait, wait.stop.error);
    else if (client.socket.isClosed) this.giveUp(client);
    else if (client.isEnding) client.hungUp();
  }

  /** A shard has a key that the client waits for. */
  woken(client: Client, sequence: number, shard: number): void {
    const wait = this.#find(client, sequence);
    if (wait === undefined || wait.isDecided || wait.isAsking) return;
    if (wait.transaction !== 0) {
      this.#settle(wait, client, shard);
    } else {
      this.#resends.add(client);
      this.retry();
    }
  }

  /** Sends again what found no room; to be called when there may be. */
  retry(): void {
    if (!this.hasResends) return;
    for (const client of [...this.#resends]) {
      const wait = this.#blocked.get(client);
      if (wait?.again === undefined || this.#sendAgain(client, wait, wait.again)) {
        this.#resends.delete(client);
      }
    }
  }

  get hasResends(): boolean {
    return this.#resends.size > 0;
  }

  #sendAgain(client: Client, wait: ClientWait, call: SentCommand): boolean {
    const { routes } = this.#options;
    const { entry, command } = call;
    if (wait.transaction === 0) {
      this.#args.point(command.source, command.at, command.spans, 0, command.count);
      return routes.sendAgain(client, entry, this.#args, command, wait);
    }
    // Nothing that is said of the transaction before is meant for this one.
    const transaction = routes.nextTransaction();
    if (!this.#offer(client, call, wait.shards, transaction, wait)) return false;
    wait.transaction = transaction;
    return true;
  }

  /** Ends the waits for keys that no longer belong to this server, with an error. */
  judge(judge: WaitJudge): void {
    for (const [client, { entry, slot }] of [...this.#blocked]) {
      const error = slot < 0 ? undefined : judge(client, entry, slot);
      if (error !== undefined) client.wait.unblock?.(error, () => undefined);
    }
  }

  /** The client has disconnected: its wait ends as on a timeout. */
  giveUp(client: Client): void {
    const wait = this.#blocked.get(client);
    if (wait?.isParked === true) this.#stop(client, wait, undefined);
  }

  /** The time is over, or somebody wants the wait to end. */
  #stop(client: Client, wait: ClientWait, error: CommandError | undefined): void {
    if (wait.isDecided || wait.isAsking || !wait.isParked) {
      // Should the command be answered all the same, this is forgotten.
      wait.stop = { error };
      return;
    }
    if (wait.transaction === 0) {
      // The shard may be answering already: so it answers this, too.
      this.#unpark(client, wait, error);
      return;
    }
    this.#settle(wait, client, -1);
    wait.isStopped = true;
    const reply = new OwnedReply(client.session.protocol);
    if (error === undefined) reply.nilArray();
    else reply.error(error);
    this.#answer(client, wait, reply);
  }

  /** Selects the shard that runs the command (-1: none), and notifies all of them. */
  #settle(wait: ClientWait, client: Client, chosen: number): void {
    wait.isDecided = true;
    for (const shard of wait.shards) {
      this.#judge(client, wait, shard, shard === chosen ? Verdict.run : Verdict.drop);
    }
  }

  #judge(client: Client, { transaction }: ClientWait, shard: number, verdict: number): void {
    this.#options.routes.links[shard]!.sendMessage(
      {
        ...emptyHead(),
        kind: FrameKind.verdict,
        connection: client.slot,
        sequence: transaction,
        enqueuedUs: verdict,
      },
      new Uint8Array(0),
    );
  }

  #unpark(client: Client, { sequence, shards }: ClientWait, error: CommandError | undefined): void {
    const head = { ...emptyHead(), kind: FrameKind.unpark, connection: client.slot, sequence };
    head.enqueuedUs = unparkFor(error);
    const isReported = error !== undefined && head.enqueuedUs === Unpark.reported;
    const body = isReported ? Buffer.from(error.text, 'latin1') : NOTHING;
    // Lent keys are waited for by their host, the first of the owners to write.
    for (const shard of shards) {
      this.#options.routes.links[shard]!.sendMessage({ ...head }, body);
    }
  }

  #answer(client: Client, wait: ClientWait, reply: OwnedReply | undefined): void {
    const bytes = reply?.take() ?? new Uint8Array(0);
    client.replies.deliver(wait.sequence, 1, bytes, 0, wait.isMuted ? 0 : bytes.length);
    this.#options.clientRegistry.finishIfGone(client);
  }

  #find(client: Client, sequence: number): ClientWait | undefined {
    const wait = this.#blocked.get(client);
    return wait?.sequence === sequence ? wait : undefined;
  }

  /** The command is answered. */
  #end(client: Client, wait: ClientWait): void {
    // A shard may have replied instead of waiting: the others must not wait either.
    if (!wait.isDecided && wait.transaction !== 0) this.#settle(wait, client, -1);
    wait.isDecided = true;
    wait.timer?.cancel();
    this.#blocked.delete(client);
    this.#resends.delete(client);
    client.wait.answered = undefined;
    client.wait.unblock = undefined;
    client.wait.awaitedKey = undefined;
    client.wait.awaitsReply = false;
    this.#options.clientRegistry.ran(client);
    client.wait.isServed = false;
    if (wait.isParked) {
      this.#options.clientRegistry.unblock(client);
      // A client that was blocked for longer than the idle timeout is not idle.
      client.account.lastCommandMs = this.#options.clientRegistry.nowMs;
    }
    client.releasePushes();
    for (const [nth, ended] of wait.enders.entries()) ended(wait.isStopped && nth === 0);
    this.#options.clientRegistry.retry(client);
  }
}

/** True when the client can stay blocked; otherwise later commands of its pipeline need not wait. */
function wantsToWait(entry: CommandEntry, args: Arguments): boolean {
  const { command } = entry;
  if (command.route !== 'oneShard' || !entry.has('blocking')) return false;
  return command.waits?.(args) ?? true;
}

function firstSlot(entry: CommandEntry, args: Arguments): number {
  const [first] = findKeys(entry.command.keys, args) ?? [];
  if (first === undefined) return -1;
  return keySlot(args.source, args.at(first.index), args.length(first.index));
}

function isOfferedWay(way: 'lend' | 'first' | 'each' | undefined): boolean {
  return way === 'first' || way === 'each';
}

function itemsIn(body: Bytes): Item[] {
  const buffer = asBuffer(body);
  const items: Item[] = [];
  for (let at = 0; at < buffer.length;) {
    const end = at + 8 + buffer.readUInt32LE(at + 4);
    items.push({ index: buffer.readUInt32LE(at), bytes: buffer.subarray(at + 8, end) });
    at = end;
  }
  return items;
}
