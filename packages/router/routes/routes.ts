/**
 * The ways a command takes to the shards, each all or nothing: its frames go into all rings that it needs
 * within one call, or into none.
 */

import { type Bytes, Listeners, unreachable } from '#base';
import {
  type Arguments,
  type ByKeyCommand,
  type CommandEntry,
  type EveryShardCommand,
  findKeys,
  type FoundKey,
} from '#commands';
import { encodeKeys, encodeMessage, FrameKind, HOST_WORDS, RequestFlag } from '#link';
import { scatterStart } from '#usdt';
import type { CommandBytes } from '#resp';
import { asSlowClient, type CommandStats } from '../replies/command-stats.ts';
import type { Answers } from '../replies/answers.ts';
import type { Client } from '../clients/client.ts';
import type { InquiredPlan, LendPlan } from '../multi/exec-plan.ts';
import { Gather, type GatherOptions } from '../replies/gather.ts';
import type { Gathers } from '../replies/gathers.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import { emptyHead, PREFIX_BYTES, type RequestHead, type ShardLink } from '../shards/shard-link.ts';
import { lentPrefix, Ownership, planLending, splitByOwner } from '../shards/split.ts';

interface RoutesOptions {
  readonly links: readonly ShardLink[];
  readonly clientRegistry: ClientRegistry;
  readonly answers: Answers;
  readonly commandStats: CommandStats;
  readonly gathers: Gathers;
}

/** State that stays of a command that was sent before. */
export interface SentBefore {
  readonly sequence: number;
  /** Its reply is unwanted. */
  readonly isMuted: boolean;
}

/** A command whose keys are lent. */
interface LentCall {
  readonly found: readonly FoundKey[];
  readonly again?: SentBefore;
}

/** Command and shards of a gather. */
type GatherTarget = Pick<GatherOptions, 'command' | 'shards' | 'plan'>;

/** Room in a lender's ring for the frame that asks for its keys. */
interface LendPlace {
  readonly link: ShardLink;
  readonly at: number;
  readonly size: number;
  readonly keyCount: number;
  readonly payload: Bytes;
}

export class Routes {
  readonly ownership: Ownership;
  readonly links: readonly ShardLink[];
  /** True while shards write logs: commands of several shards are then sent completely to each. */
  isDurable = false;
  /** True while shards send a feed for replicas. */
  hasFeed = false;
  /** Listeners for commands that are sent to all shards. */
  readonly everyShardSent = new Listeners<[CommandEntry]>();
  readonly #options: RoutesOptions;
  readonly #links: readonly ShardLink[];
  readonly #head: RequestHead = emptyHead();
  #transactions = 0;

  constructor(options: RoutesOptions) {
    this.#options = options;
    this.links = options.links;
    this.#links = options.links;
    this.ownership = new Ownership(options.links.length);
  }

  /** True while commands of several shards are recorded as a unit: for logs, for replicas, or for both. */
  get endsTogether(): boolean {
    return this.isDurable || this.hasFeed;
  }

  /** Returns a transaction number that is not in use. */
  nextTransaction(): number {
    this.#transactions = (this.#transactions + 1) >>> 0;
    return this.#transactions;
  }

  /** Sends the command to the shard or to main; returns false, without having sent anything, if a ring is full. */
  send(client: Client, entry: CommandEntry, args: Arguments, command: CommandBytes): boolean {
    if (entry.route === 'oneShard') return this.#toOne(client, entry, args, command);
    const definition = entry.command;
    switch (definition.route) {
      case 'byKey':
        return this.#split(client, entry, definition, args, command);
      case 'everyShard':
        this.everyShardSent.notify(entry);
        return this.#toEveryShard(client, entry, definition, args, command);
      case 'onMain':
        this.#options.answers.runOnMain(client, entry, args);
        return true;
      case 'exec':
        return unreachable('what is queued is sent command by command');
      case 'container':
        return unreachable('a container is replaced by its subcommand');
      case 'oneShard':
        return unreachable('what one shard runs has been sent');
    }
  }

  #toOne(client: Client, entry: CommandEntry, args: Arguments, command: CommandBytes): boolean {
    if (entry.firstArgumentIsKey) {
      return this.sendTo(client, entry, this.ownership.ownerOfFirst(args), command);
    }
    if (!entry.hasKeys) return this.sendTo(client, entry, 0, command);
    return this.#toOwners(client, entry, args, command);
  }

  /** Returns the head of a client's frame; one object, reused for each. */
  fillHead(client: Client, entry: CommandEntry, kind: number): RequestHead {
    const head = this.#head;
    let flags = 0;
    const { session } = client;
    if (session.protocol === 3) flags |= RequestFlag.resp3;
    if (session.noTouch) flags |= RequestFlag.noTouch;
    if (session.isMuted) flags |= RequestFlag.mute;
    if (client.wait.isAtBarrier) flags |= RequestFlag.passesBarrier;
    if (client.traces.current !== undefined) flags |= RequestFlag.traced;
    head.kind = kind;
    head.flags = flags;
    head.database = session.database;
    head.command = entry.id;
    head.connection = client.slot;
    head.enqueuedUs = this.#options.clientRegistry.nowUs | 0;
    return head;
  }

  /** The way to a shard that is to run a command of the client: the shard knows who that is, for its reports. */
  linkFor(client: Client, shard: number): ShardLink {
    const link = this.#links[shard]!;
    const { session, socket } = client;
    if (session.knownTo[shard] === true) return link;
    session.knownTo[shard] = true;
    const head = { ...emptyHead(), kind: FrameKind.introduce, connection: client.slot };
    link.sendMessage(
      head,
      encodeMessage({
        ...asSlowClient(client),
        userRow: session.identity.row,
        ...(socket.tls === undefined ? {} : { isSecure: true }),
      }),
    );
    return link;
  }

  /** Sends a command to one shard, regardless of the owner of its keys; false if its ring is full. */
  sendTo(client: Client, entry: CommandEntry, shard: number, command: CommandBytes): boolean {
    const link = this.linkFor(client, shard);
    const size = link.frameSize(command.count, command.length);
    const at = link.reserve(size);
    if (at < 0) return false;
    const head = this.fillHead(client, entry, FrameKind.command);
    head.sequence = client.replies.nextSequence;
    link.writeCommand(at, size, head, command, true);
    // Only now: where there is no memory for a command that is too long for the ring, it is refused.
    client.replies.takeSequence();
    if (client.session.replyMode !== 'on') client.session.endMuting();
    return true;
  }

  /** A command whose keys must be searched: on one shard as it is, else lent to a host. */
  #toOwners(client: Client, entry: CommandEntry, args: Arguments, command: CommandBytes): boolean {
    const found = findKeys(entry.command.keys, args);
    // Without the keys it promises, the command fails in its handler, whichever shard that is on.
    const first = found?.[0];
    if (found === undefined || first === undefined) return this.sendTo(client, entry, 0, command);
    const owner = this.#commonOwner(found, args);
    if (owner >= 0) return this.sendTo(client, entry, owner, command);
    return this.#toHost(client, entry, args, command, { found });
  }

  /** The shard that owns all the keys of the command, 0 for one without keys, or -1. */
  commonOwner(entry: CommandEntry, args: Arguments): number {
    const found = findKeys(entry.command.keys, args) ?? [];
    return found.length === 0 ? 0 : this.#commonOwner(found, args);
  }

  /** The shards that own keys of the command. */
  ownersOf(entry: CommandEntry, args: Arguments): readonly number[] {
    const owners = new Set<number>();
    for (const { index } of findKeys(entry.command.keys, args) ?? []) {
      owners.add(this.ownership.ownerOf(args.source, args.at(index), args.length(index)));
    }
    return owners.size === 0 ? [0] : [...owners];
  }

  /** Sends a command that waited for lent keys again, under the same sequence. */
  sendAgain(
    client: Client,
    entry: CommandEntry,
    args: Arguments,
    command: CommandBytes,
    again: SentBefore,
  ): boolean {
    const found = findKeys(entry.command.keys, args) ?? [];
    return this.#toHost(client, entry, args, command, { found, again });
  }

  /** The shard that owns all the keys, or -1. */
  #commonOwner(found: readonly FoundKey[], args: Arguments): number {
    let common = -1;
    for (const { index } of found) {
      const owner = this.ownership.ownerOf(args.source, args.at(index), args.length(index));
      if (common >= 0 && owner !== common) return -1;
      common = owner;
    }
    return common;
  }

  /** Sends a command with the frame head `head` to the host of a plan, and requests to the lenders. */
  sendLent(
    client: Client,
    head: RequestHead,
    command: CommandBytes,
    { kept, ...plan }: InquiredPlan,
  ): boolean {
    const host = this.linkFor(client, plan.host);
    const keeps = kept.length > 0 ? 1 : 0;
    const isHosted = plan.lenders.size + keeps > 0;
    const size = host.frameSize(command.count, command.length, isHosted ? HOST_WORDS : 0);
    const at = host.reserve(size);
    const places = this.placeLenders(plan);
    if (at < 0 || places === undefined) return false;
    if (!isHosted) {
      host.writeCommand(at, size, { ...head, kind: FrameKind.command }, command);
      return true;
    }
    const transaction = this.nextTransaction();
    host.writeHost(at, size, head, command, transaction, places.length + keeps);
    const lend = lendHead(head, plan.host, transaction);
    askLenders(places, lend);
    if (keeps > 0) {
      // Nothing of another command comes in between: what finds the ring full goes before all that follows.
      const keep = { ...lend, kind: FrameKind.keep, database: head.database };
      host.sendMessage(keep, encodeKeys(kept));
    }
    return true;
  }

  /** Room for the `lend` frames of a plan; undefined when a ring is full. */
  placeLenders(plan: LendPlan): readonly LendPlace[] | undefined {
    const places = [...plan.lenders].map(([shard, lent]) => {
      const link = this.#links[shard]!;
      const size = link.payloadSize(lent.payload);
      return { ...lent, link, size, at: link.reserve(size) };
    });
    return places.some(({ at }) => at < 0) ? undefined : places;
  }

  #toHost(
    client: Client,
    entry: CommandEntry,
    args: Arguments,
    command: CommandBytes,
    { found, again }: LentCall,
  ): boolean {
    const plan = planLending(entry, args, found, client.session.database, this.ownership);
    const host = this.linkFor(client, plan.host);
    const hostSize = host.frameSize(command.count, command.length, HOST_WORDS);
    const lenders = [...plan.lent].map(([shard, keys]) => {
      let bodyBytes = 0;
      for (const key of keys) bodyBytes += PREFIX_BYTES + args.length(key.index);
      const link = this.#links[shard]!;
      return { link, keys, bodyBytes, size: link.frameSize(keys.length, bodyBytes), at: 0 };
    });
    const hostAt = host.reserve(hostSize);
    if (hostAt < 0) return false;
    for (const lender of lenders) {
      lender.at = lender.link.reserve(lender.size);
      if (lender.at < 0) return false;
    }
    const transaction = this.nextTransaction();
    const head = this.fillHead(client, entry, FrameKind.host);
    if (again === undefined) head.sequence = client.replies.takeSequence();
    else resume(head, again, RequestFlag.again);
    host.writeHost(hostAt, hostSize, head, command, transaction, lenders.length);
    for (const { link, keys, bodyBytes, size, at } of lenders) {
      const lend = lendHead(head, plan.host, transaction);
      const picked = keys.map(({ index }) => index);
      const prefixes = keys.map(lentPrefix);
      link.writePicked(at, size, lend, command, { picked, bodyBytes, prefixes });
    }
    if (again === undefined && client.session.replyMode !== 'on') client.session.endMuting();
    return true;
  }

  #split(
    client: Client,
    entry: CommandEntry,
    definition: ByKeyCommand<never>,
    args: Arguments,
    command: CommandBytes,
  ): boolean {
    const { shares, partOfKey } = splitByOwner(args, definition.keyStride, this.ownership);
    const shards = shares.map(({ shard }) => shard);
    const asked = { command: definition, shards, plan: { partOfKey } };
    if (this.#isShared(entry, shards)) return this.#share(client, entry, args, { command, asked });
    const places = shares.map((share) => {
      const link = this.linkFor(client, share.shard);
      const size = link.frameSize(share.picked.length, share.bodyBytes);
      return { link, share, size, at: link.reserve(size) };
    });
    if (places.some(({ at }) => at < 0)) return false;
    const head = this.#gather(client, entry, args, asked);
    for (const { link, share, size, at } of places) {
      link.writePicked(at, size, head, command, share);
    }
    return true;
  }

  #toEveryShard(
    client: Client,
    entry: CommandEntry,
    definition: EveryShardCommand<never>,
    args: Arguments,
    command: CommandBytes,
  ): boolean {
    const shards = this.#links.map(({ index }) => index);
    const asked = { command: definition, shards, plan: { partOfKey: [] } };
    if (this.#isShared(entry, shards)) return this.#share(client, entry, args, { command, asked });
    const places = this.#links.map(({ index }) => {
      const link = this.linkFor(client, index);
      const size = link.frameSize(command.count, command.length);
      return { link, size, at: link.reserve(size) };
    });
    if (places.some(({ at }) => at < 0)) return false;
    const head = this.#gather(client, entry, args, asked);
    for (const { link, size, at } of places) link.writeCommand(at, size, head, command);
    return true;
  }

  /** True when each shard logs the whole command, so that it is done by all or by none after a crash. */
  #isShared(entry: CommandEntry, shards: readonly number[]): boolean {
    return this.endsTogether && entry.isWrite && shards.length > 1;
  }

  /** Sends the whole of a command to all that do a share of it. */
  #share(
    client: Client,
    entry: CommandEntry,
    args: Arguments,
    { command, asked }: { command: CommandBytes; asked: GatherTarget },
  ): boolean {
    const places = asked.shards.map((shard) => {
      const link = this.linkFor(client, shard);
      const size = link.frameSize(command.count, command.length, HOST_WORDS);
      return { link, size, at: link.reserve(size) };
    });
    if (places.some(({ at }) => at < 0)) return false;
    const head = this.#gather(client, entry, args, asked);
    head.kind = FrameKind.share;
    const transaction = this.nextTransaction();
    for (const { link, size, at } of places) {
      link.writeHost(at, size, head, command, transaction, places.length);
    }
    return true;
  }

  /** Begins to gather the parts of a command that is now sent to `shards`; the head of their frames. */
  #gather(client: Client, entry: CommandEntry, args: Arguments, asked: GatherTarget): RequestHead {
    const head = this.fillHead(client, entry, FrameKind.part);
    const isMuted = (head.flags & RequestFlag.mute) !== 0;
    head.sequence = client.replies.takeSequence();
    this.#options.gathers.begin(
      new Gather({
        client,
        sequence: head.sequence,
        command: asked.command,
        commandId: entry.id,
        shards: asked.shards,
        plan: asked.plan,
        isMuted,
        database: client.session.database,
        takenUs: this.#options.clientRegistry.nowUs,
        kept: this.#options.commandStats.keep(entry, args),
      }),
    );
    if (scatterStart.isWatched) {
      scatterStart.fire(entry.lowerName, asked.shards.length, this.nextTransaction());
    }
    if (client.session.replyMode !== 'on') client.session.endMuting();
    return head;
  }
}

/** Returns the head of a lend request that belongs to the host's frame with `head`. */
export function lendHead(head: RequestHead, host: number, transaction: number): RequestHead {
  const lend = { ...emptyHead(), kind: FrameKind.lend, command: head.command };
  lend.flags = head.flags & RequestFlag.passesBarrier;
  lend.connection = host;
  lend.sequence = transaction;
  return lend;
}

/** Asks all lenders of a plan for their keys. */
export function askLenders(places: readonly LendPlace[], lend: RequestHead): void {
  for (const { link, at, size, keyCount, payload } of places) {
    link.writePayload(at, size, { ...lend }, keyCount, payload);
  }
}

/** Makes a head that of a command sent before. */
export function resume(head: RequestHead, { sequence, isMuted }: SentBefore, flags = 0): void {
  head.sequence = sequence;
  head.flags |= isMuted ? flags | RequestFlag.mute : flags;
}
