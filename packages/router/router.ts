/**
 * From a parsed command to the shards that run it, and their answers back in order.
 *
 * Main is the only sequencer: it appends a command's frames to all rings that the command needs within
 * one call, or to none, and a ring is FIFO. So all shards see commands in one global order.
 */

import { CommandError, errors, unreachable, type Bytes, type Clock } from '#base';
import {
  Arguments,
  commandTable,
  findKeys,
  type ByKeyCommand,
  type CommandEntry,
  type EveryShardCommand,
  type FoundKey,
} from '#commands';
import { AT, type Page } from '#diag';
import {
  encodeControl,
  FrameKind,
  HOST_WORDS,
  RequestFlag,
  type Control,
  type LinkMemory,
} from '#link';
import type { ParsedCommand } from '#resp';
import { Answers, type RunOnMain, type Write } from './answers.ts';
import type { Client } from './client.ts';
import { Gather } from './gather.ts';
import { Replies } from './replies.ts';
import { Roster } from './roster.ts';
import { emptyHead, PREFIX_BYTES, type RequestHead, type ShardLink } from './shard-link.ts';
import { Ownership, planLending, splitByOwner, type Lending } from './split.ts';
import { unknownCommand } from './unknown-command.ts';

/** What the router needs of its surroundings. */
export interface RouterParts {
  memory: LinkMemory;
  links: readonly ShardLink[];
  page: Page;
  clock: Clock;
  runOnMain: RunOnMain;
  /** Says why the client may not run the command now, or that it must wait. */
  gate(client: Client, entry: CommandEntry, args: Arguments): CommandError | 'wait' | undefined;
  /** Takes what a shard tells of its keys. */
  keyEvents: (body: Bytes) => void;
  /** Memory is over the limit and nothing can be evicted. */
  isOutOfMemory(): boolean;
}

export class Router {
  readonly ownership: Ownership;
  /** Is shown every command that was sent on, while anybody wants to see them. */
  watcher: ((client: Client, entry: CommandEntry, args: Arguments) => void) | undefined;
  readonly #parts: RouterParts;
  readonly #links: readonly ShardLink[];
  readonly #values: Float64Array;
  readonly #roster: Roster;
  readonly #answers: Answers;
  readonly #replies: Replies;
  readonly #args = new Arguments();
  readonly #head: RequestHead = emptyHead();
  #transactions = 0;

  constructor(parts: RouterParts) {
    const { links, memory, page, clock, keyEvents } = parts;
    this.#parts = parts;
    this.#links = links;
    this.#values = page.values;
    this.ownership = new Ownership(links.length);
    this.#roster = new Roster(page.values, clock);
    this.#answers = new Answers(this.#roster, page, clock, parts.runOnMain);
    const roster = this.#roster;
    this.#replies = new Replies({ memory, links, roster, answers: this.#answers, page, keyEvents });
  }

  get nowMs(): number {
    return this.#roster.nowMs;
  }

  /** Takes both times: for what is dispatched from now on. */
  readClock(): void {
    this.#roster.readClock();
  }

  /** Takes the monotonic time only; wall-clock time is that of the turn. */
  readMonotonic(): void {
    this.#roster.readMonotonic();
  }

  // Clients.

  addClient(make: (slot: number) => Client): Client {
    return this.#roster.add(make);
  }

  /** Forgets a client whose socket is gone, as soon as the shards have answered it. */
  removeClient(client: Client): void {
    this.#answers.giveUpWait(client);
    this.#roster.remove(client);
  }

  clientInSlot(slot: number): Client | undefined {
    return this.#roster.inSlot(slot);
  }

  /** Leaves the reply of the command being run for later; its client waits meanwhile. */
  defer(client: Client, timedOut?: Write): (write: Write) => void {
    return this.#answers.defer(client, timedOut);
  }

  /** Answers everything a client waits for with an error, and closes: nobody else will answer. */
  abandon(client: Client, error: CommandError): void {
    this.#answers.abandon(client, error);
  }

  /** Answers a breach of the protocol, and closes. */
  protocolError(client: Client, text: string): void {
    client.quit();
    this.#answers.error(client, new CommandError(text));
  }

  /** Something that made clients wait has ended. */
  retryAll(): void {
    this.#roster.retryHeld();
  }

  // Dispatch.

  /** Takes one command, or answers why it must be offered again later. */
  dispatch(client: Client, command: ParsedCommand): 'taken' | 'full' | 'held' {
    if (client.isDeaf) return 'taken';
    if (client.isBlocked) return this.#roster.hold(client);
    const args = this.#args;
    const { source, spans, at } = command;
    args.point(source, at, spans, 0, command.count);
    const entry = this.#find(client, args);
    if (entry === undefined) return 'taken';
    const verdict = this.#parts.gate(client, entry, args);
    if (verdict === 'wait') return this.#roster.hold(client);
    if (verdict !== undefined) {
      this.#answers.reject(client, entry, verdict);
      return 'taken';
    }
    if (entry.deniesOom && this.#parts.isOutOfMemory()) {
      this.#values[AT.oomRejections] = this.#values[AT.oomRejections]! + 1;
      this.#answers.reject(client, entry, errors.outOfMemory);
      return 'taken';
    }
    client.lastCommandMs = this.#roster.nowMs;
    client.lastCommandId = entry.id;
    if (!this.#route(client, entry, args, command)) return this.#roster.stall(client);
    this.watcher?.(client, entry, args);
    client.commandsTotal += 1;
    this.#values[AT.commands] = this.#values[AT.commands]! + 1;
    return 'taken';
  }

  /** The command meant, or undefined when an error was answered instead. */
  #find(client: Client, args: Arguments): CommandEntry | undefined {
    const top = commandTable.find(args.source, args.at(0), args.length(0));
    if (top === undefined) {
      this.#answers.error(client, unknownCommand(args));
      return undefined;
    }
    const entry = top.command.route === 'container' ? this.#findSubcommand(client, top, args) : top;
    if (entry === undefined) return undefined;
    if (!entry.admits(args.count)) {
      this.#answers.reject(client, entry, entry.wrongArguments(args));
      return undefined;
    }
    return entry;
  }

  #findSubcommand(client: Client, top: CommandEntry, args: Arguments): CommandEntry | undefined {
    if (args.count < 2) {
      if (top.bare !== undefined) return top.bare;
      this.#answers.reject(client, top, errors.wrongArguments(top.lowerName));
      return undefined;
    }
    args.position = 2;
    const found = top.subcommand(args.source, args.at(1), args.length(1));
    if (found === undefined) {
      const name = args.latin1(1);
      this.#answers.error(client, top.unknownSubcommand(name));
    }
    return found;
  }

  #route(client: Client, entry: CommandEntry, args: Arguments, command: ParsedCommand): boolean {
    const definition = entry.command;
    switch (definition.route) {
      case 'oneShard':
        if (entry.firstArgumentIsKey) {
          const owner = this.ownership.ownerOf(args.source, args.at(1), args.length(1));
          return this.#toShard(client, entry, owner, command);
        }
        if (!entry.hasKeys) {
          const shard = definition.shard?.(args, this.#links.length) ?? 0;
          return this.#toShard(client, entry, shard, command);
        }
        return this.#toOwners(client, entry, args, command);
      case 'byKey':
        return this.#split(client, entry, definition, args, command);
      case 'everyShard':
        return this.#toEveryShard(client, entry, definition, command);
      case 'onMain':
        this.#answers.runOnMain(client, entry, args);
        return true;
      case 'container':
        return unreachable('a container is replaced by its subcommand');
    }
  }

  #fillHead(client: Client, entry: CommandEntry, kind: number): RequestHead {
    const head = this.#head;
    let flags = 0;
    if (client.protocol === 3) flags |= RequestFlag.resp3;
    if (client.noTouch) flags |= RequestFlag.noTouch;
    if (client.isMuted) flags |= RequestFlag.mute;
    head.kind = kind;
    head.flags = flags;
    head.database = client.database;
    head.command = entry.id;
    head.connection = client.slot;
    head.enqueuedUs = this.#roster.nowUs | 0;
    return head;
  }

  #toShard(client: Client, entry: CommandEntry, shard: number, command: ParsedCommand): boolean {
    const link = this.#links[shard]!;
    const size = link.frameSize(command.count, command.length);
    const at = link.reserve(size);
    if (at < 0) return false;
    const head = this.#fillHead(client, entry, FrameKind.command);
    head.sequence = client.takeSequence();
    link.writeCommand(at, size, head, command);
    if (client.replyMode !== 'on') client.endMuting();
    return true;
  }

  /** A command whose keys must be searched: on one shard as it is, else lent to a host. */
  #toOwners(client: Client, entry: CommandEntry, args: Arguments, command: ParsedCommand): boolean {
    const found = findKeys(entry.command.keys, args);
    // Without the keys it promises, the command fails in its handler, whichever shard that is on.
    const first = found?.[0];
    if (found === undefined || first === undefined) return this.#toShard(client, entry, 0, command);
    const owner = this.#commonOwner(found, args);
    if (owner >= 0) return this.#toShard(client, entry, owner, command);
    const plan = planLending(entry, args, found, client.database, this.ownership);
    return this.#toHost(client, entry, args, command, plan);
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

  #toHost(
    client: Client,
    entry: CommandEntry,
    args: Arguments,
    command: ParsedCommand,
    plan: Lending,
  ): boolean {
    const host = this.#links[plan.host]!;
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
    this.#transactions = (this.#transactions + 1) >>> 0;
    const transaction = this.#transactions;
    const head = this.#fillHead(client, entry, FrameKind.host);
    head.sequence = client.takeSequence();
    host.writeHost(hostAt, hostSize, head, command, transaction, lenders.length);
    for (const { link, keys, bodyBytes, size, at } of lenders) {
      const lend = { ...emptyHead(), kind: FrameKind.lend, command: entry.id };
      lend.connection = plan.host;
      lend.sequence = transaction;
      const picked = keys.map(({ index }) => index);
      const prefixes = keys.map((key) => key.database | (key.writable ? 1 << 24 : 0));
      link.writePicked(at, size, lend, command, { picked, bodyBytes, prefixes });
    }
    if (client.replyMode !== 'on') client.endMuting();
    return true;
  }

  #split(
    client: Client,
    entry: CommandEntry,
    definition: ByKeyCommand<never>,
    args: Arguments,
    command: ParsedCommand,
  ): boolean {
    const { shares, partOfKey } = splitByOwner(args, definition.keyStride, this.ownership);
    const places = shares.map((share) => {
      const link = this.#links[share.shard]!;
      const size = link.frameSize(share.picked.length, share.bodyBytes);
      return { link, share, size, at: link.reserve(size) };
    });
    if (places.some(({ at }) => at < 0)) return false;
    const head = this.#fillHead(client, entry, FrameKind.part);
    const isMuted = (head.flags & RequestFlag.mute) !== 0;
    head.sequence = client.takeSequence();
    const shards = shares.map(({ shard }) => shard);
    this.#replies.await(
      new Gather({
        client,
        sequence: head.sequence,
        command: definition,
        commandId: entry.id,
        shards,
        plan: { partOfKey },
        isMuted,
      }),
    );
    for (const { link, share, size, at } of places) {
      link.writePicked(at, size, head, command, share);
    }
    if (client.replyMode !== 'on') client.endMuting();
    return true;
  }

  #toEveryShard(
    client: Client,
    entry: CommandEntry,
    definition: EveryShardCommand<never>,
    command: ParsedCommand,
  ): boolean {
    const places = this.#links.map((link) => {
      const size = link.frameSize(command.count, command.length);
      return { link, size, at: link.reserve(size) };
    });
    if (places.some(({ at }) => at < 0)) return false;
    const head = this.#fillHead(client, entry, FrameKind.part);
    const isMuted = (head.flags & RequestFlag.mute) !== 0;
    head.sequence = client.takeSequence();
    const shards = this.#links.map(({ index }) => index);
    this.#replies.await(
      new Gather({
        client,
        sequence: head.sequence,
        command: definition,
        commandId: entry.id,
        shards,
        plan: { partOfKey: [] },
        isMuted,
      }),
    );
    for (const { link, size, at } of places) link.writeCommand(at, size, head, command);
    if (client.replyMode !== 'on') client.endMuting();
    return true;
  }

  /** Tells every shard something, in order with the commands. */
  broadcast(control: Control): void {
    const body = encodeControl(control);
    const head = { ...emptyHead(), kind: FrameKind.control };
    for (const link of this.#links) link.sendMessage(head, body);
  }

  // Replies.

  /** Lets the shards see what was dispatched, and wakes those that sleep. */
  publish(): void {
    for (const link of this.#links) {
      link.retryBacklog();
      if (link.requests.publish()) link.requests.wakeReader();
    }
  }

  /** Takes all replies there are, and offers again what waited for room. */
  drain(): void {
    this.#replies.drain();
    this.#roster.retryStalled();
  }

  /** Whether a shard has published something, or made room that a client waits for, since `drain`. */
  get hasWork(): boolean {
    if (this.#replies.hasReplies) return true;
    return this.#roster.hasStalled && this.#links.some((link) => link.hasNewRoom);
  }
}
