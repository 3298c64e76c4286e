/**
 * From a parsed command to the shards that run it, and their answers back in order.
 *
 * Main is the only sequencer: it appends a command's frames to all rings that the command needs within
 * one call, or to none, and a ring is FIFO. So all shards see commands in one global order.
 */

import {
  CommandError,
  ERROR_CODES,
  errors,
  latin1,
  unreachable,
  type Bytes,
  type Clock,
} from '#base';
import {
  Arguments,
  commandTable,
  findKeys,
  type ByKeyCommand,
  type CommandEntry,
  type EveryShardCommand,
  type FoundKey,
} from '#commands';
import { AT, TICKS_PER_US, type Page } from '#diag';
import {
  encodeControl,
  FrameKind,
  HOST_WORDS,
  KIND_MASK,
  Reply,
  ReplyFlag,
  RequestFlag,
  TRANSFERRED,
  type Control,
  type LinkMemory,
} from '#link';
import { OwnedReply, type ParsedCommand } from '#resp';
import { Client } from './client.ts';
import { Gather } from './gather.ts';
import { emptyHead, PREFIX_BYTES, type RequestHead, type ShardLink } from './shard-link.ts';
import { Ownership, planLending, splitByOwner, type Lending } from './split.ts';

/** Redis shows this much of an unknown command's arguments. */
const UNKNOWN_ARGUMENTS_SHOWN_BYTES = 128;

const NO_BYTES: Bytes = new Uint8Array(0);

/** What the router needs of its surroundings. */
export interface RouterParts {
  memory: LinkMemory;
  links: readonly ShardLink[];
  page: Page;
  clock: Clock;
  /** Runs a command that needs main only; throws a CommandError for the client's mistakes. */
  runOnMain(client: Client, entry: CommandEntry, args: Arguments, reply: OwnedReply): void;
  /** Says why the client may not run the command now, or that it must wait. */
  gate(client: Client, entry: CommandEntry, args: Arguments): CommandError | 'wait' | undefined;
  /** Memory is over the limit and nothing can be evicted. */
  isOutOfMemory(): boolean;
}

export class Router {
  readonly ownership: Ownership;
  readonly #parts: RouterParts;
  readonly #links: readonly ShardLink[];
  readonly #values: Float64Array;
  readonly #args = new Arguments();
  readonly #head: RequestHead = emptyHead();
  readonly #reply = new OwnedReply(2, 16 * 1024);
  readonly #clients: (Client | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #gathers = new Map<number, Map<number, Gather>>();
  /** Clients whose next command found no room in a ring. */
  readonly #stalled = new Set<Client>();
  /** Clients whose next command must wait for another reason. */
  readonly #held = new Set<Client>();
  #transactions = 0;
  #nowUs = 0;
  #nowMs = 0;
  /** A reply left for later by the command being run. */
  #deferred: number | undefined;

  constructor(parts: RouterParts) {
    this.#parts = parts;
    this.#links = parts.links;
    this.#values = parts.page.values;
    this.ownership = new Ownership(parts.links.length);
  }

  get clients(): readonly Client[] {
    return this.#clients.filter((client) => client !== undefined);
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  clientInSlot(slot: number): Client | undefined {
    return this.#clients[slot];
  }

  /** Takes both times: for what is dispatched from now on. */
  readClock(): void {
    this.#nowUs = this.#parts.clock.nowUs();
    this.#nowMs = this.#parts.clock.wallMs();
  }

  /** Takes the monotonic time only; wall-clock time is that of the turn. */
  readMonotonic(): void {
    this.#nowUs = this.#parts.clock.nowUs();
  }

  // Clients.

  addClient(make: (slot: number) => Client): Client {
    const slot = this.#freeSlots.pop() ?? this.#clients.length;
    const client = make(slot);
    this.#clients[slot] = client;
    return client;
  }

  /** Forgets a client whose socket is gone, as soon as the shards have answered it. */
  removeClient(client: Client): void {
    this.#stalled.delete(client);
    this.#held.delete(client);
    if (client.isBlocked) this.#giveUpWait(client);
    if (client.outstanding === 0) this.#freeSlot(client);
  }

  #freeSlot(client: Client): void {
    if (this.#clients[client.slot] !== client) return;
    client.discardReplies();
    this.#clients[client.slot] = undefined;
    this.#freeSlots.push(client.slot);
  }

  // Dispatch.

  /** Takes one command; false when it must be offered again later. */
  dispatch(client: Client, command: ParsedCommand): boolean {
    if (client.isDeaf) return true;
    if (client.isBlocked) return this.#hold(client);
    const args = this.#args;
    const { source, spans, at } = command;
    args.point(source, at, spans, 0, command.count);
    const entry = this.#find(client, args);
    if (entry === undefined) return true;
    const verdict = this.#parts.gate(client, entry, args);
    if (verdict === 'wait') return this.#hold(client);
    if (verdict !== undefined) {
      this.reject(client, entry, verdict);
      return true;
    }
    if (entry.deniesOom && this.#parts.isOutOfMemory()) {
      this.#values[AT.oomRejections] = this.#values[AT.oomRejections]! + 1;
      this.reject(client, entry, errors.outOfMemory);
      return true;
    }
    client.lastCommandMs = this.#nowMs;
    client.lastCommandId = entry.id;
    if (!this.#route(client, entry, args, command)) return this.#stall(client);
    client.commandsTotal += 1;
    this.#values[AT.commands] = this.#values[AT.commands]! + 1;
    return true;
  }

  /** The command waits for something that says by itself when it has ended. */
  #hold(client: Client): boolean {
    this.#held.add(client);
    return false;
  }

  /** The command waits for room in a ring. */
  #stall(client: Client): boolean {
    this.#stalled.add(client);
    this.#values[AT.readStalls] = this.#values[AT.readStalls]! + 1;
    return false;
  }

  /** The command meant, or undefined when an error was answered instead. */
  #find(client: Client, args: Arguments): CommandEntry | undefined {
    const top = commandTable.find(args.source, args.at(0), args.length(0));
    if (top === undefined) {
      this.#answerError(client, unknownCommand(args));
      return undefined;
    }
    const entry = top.command.route === 'container' ? this.#findSubcommand(client, top, args) : top;
    if (entry === undefined) return undefined;
    if (!entry.admits(args.count)) {
      this.reject(client, entry, entry.wrongArguments(args));
      return undefined;
    }
    return entry;
  }

  #findSubcommand(client: Client, top: CommandEntry, args: Arguments): CommandEntry | undefined {
    if (args.count < 2) {
      if (top.bare !== undefined) return top.bare;
      this.reject(client, top, errors.wrongArguments(top.lowerName));
      return undefined;
    }
    args.position = 2;
    const found = top.subcommand(args.source, args.at(1), args.length(1));
    if (found === undefined) {
      const name = args.latin1(1).slice(0, UNKNOWN_ARGUMENTS_SHOWN_BYTES);
      this.#answerError(client, top.unknownSubcommand(name));
    }
    return found;
  }

  #route(
    client: Client,
    entry: CommandEntry,
    args: Arguments,
    command: ParsedCommand,
  ): boolean {
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
        this.#onMain(client, entry, args);
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
    head.enqueuedUs = this.#nowUs | 0;
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
  #toOwners(
    client: Client,
    entry: CommandEntry,
    args: Arguments,
    command: ParsedCommand,
  ): boolean {
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
      link.writePicked(at, size, lend, command, picked, bodyBytes, prefixes);
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
    this.#await(
      new Gather(client, head.sequence, definition, entry.id, shards, { partOfKey }, isMuted),
    );
    for (const { link, share, size, at } of places) {
      link.writePicked(at, size, head, command, share.picked, share.bodyBytes);
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
    const plan = { partOfKey: [] };
    this.#await(new Gather(client, head.sequence, definition, entry.id, shards, plan, isMuted));
    for (const { link, size, at } of places) link.writeCommand(at, size, head, command);
    if (client.replyMode !== 'on') client.endMuting();
    return true;
  }

  #await(gather: Gather): void {
    const { slot } = gather.client;
    let bySequence = this.#gathers.get(slot);
    if (bySequence === undefined) {
      bySequence = new Map();
      this.#gathers.set(slot, bySequence);
    }
    bySequence.set(gather.sequence, gather);
    this.#values[AT.scatters] = this.#values[AT.scatters]! + 1;
  }

  // Main's own commands.

  #onMain(client: Client, entry: CommandEntry, args: Arguments): void {
    const reply = this.#reply;
    const sequence = client.takeSequence();
    const wasMuted = client.isMuted;
    reply.protocol = client.protocol;
    reply.at = 0;
    reply.errorText = null;
    this.#deferred = undefined;
    const startUs = this.#parts.clock.nowUs();
    this.#values[AT.executing] = entry.id + 1;
    this.#values[AT.executingSinceUs] = startUs;
    try {
      this.#parts.runOnMain(client, entry, args, reply);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      reply.at = 0;
      this.#deferred = undefined;
      reply.error(error);
    }
    this.#values[AT.executing] = 0;
    this.#parts.page.executed(
      entry.id,
      (this.#parts.clock.nowUs() - startUs) * TICKS_PER_US,
    );
    if (reply.errorText !== null) this.#countError(entry, reply.errorText);
    if (this.#deferred !== undefined) return;
    // CLIENT REPLY ON, and RESET, are themselves answered.
    this.#deliverOwn(client, sequence, wasMuted && client.replyMode !== 'on');
  }

  /** Delivers the reply that main's writer holds. */
  #deliverOwn(client: Client, sequence: number, isMuted: boolean): void {
    const bytes = this.#reply.take();
    client.deliver(sequence, 1, bytes, 0, isMuted ? 0 : bytes.length);
    if (client.replyMode !== 'on') client.endMuting();
  }

  /** Leaves the reply of the command being run for later; its client waits meanwhile. */
  defer(client: Client): (write: (reply: OwnedReply) => void) => void {
    const sequence = (client.nextSequence - 1) >>> 0;
    const { isMuted } = client;
    this.#deferred = sequence;
    client.isBlocked = true;
    client.blockedSinceMs = this.#nowMs;
    this.#values[AT.blockedClients] = this.#values[AT.blockedClients]! + 1;
    return (write) => {
      if (!client.isBlocked) return;
      this.#unblock(client);
      const reply = new OwnedReply(client.protocol);
      write(reply);
      const bytes = reply.take();
      client.deliver(sequence, 1, bytes, 0, isMuted ? 0 : bytes.length);
      this.#finishIfGone(client);
      this.#retry(client);
    };
  }

  /** Answers everything a client waits for with an error, and closes: nobody else will answer. */
  abandon(client: Client, error: CommandError): void {
    client.isDeaf = true;
    if (client.outstanding > 0) {
      const reply = new OwnedReply(client.protocol);
      reply.error(error);
      const line = reply.take();
      client.socket.output.appendBytes(line, 0, line.length);
    }
    client.socket.closeAfterReplies();
  }

  /** Answers a breach of the protocol, and closes. */
  protocolError(client: Client, text: string): void {
    client.quit();
    this.#answerError(client, new CommandError(text));
  }

  /** Answers an error without running the command. */
  reject(client: Client, entry: CommandEntry, error: CommandError): void {
    this.#parts.page.rejected(entry.id);
    this.#answerError(client, error);
  }

  #answerError(client: Client, error: CommandError): void {
    const reply = this.#reply;
    reply.at = 0;
    reply.protocol = client.protocol;
    reply.error(error);
    this.#countErrorCode(error.text);
    client.lastCommandMs = this.#nowMs;
    this.#deliverOwn(client, client.takeSequence(), client.isMuted);
  }

  #countError(entry: CommandEntry, text: string): void {
    this.#parts.page.failed(entry.id);
    this.#countErrorCode(text);
  }

  #countErrorCode(text: string): void {
    this.#values[AT.errors] = this.#values[AT.errors]! + 1;
    const space = text.indexOf(' ');
    const code = space < 0 ? text : text.slice(0, space);
    const index = (ERROR_CODES as readonly string[]).indexOf(code);
    if (index >= 0) this.#parts.page.countError(index);
  }

  // Control.

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

  /** Takes all replies there are; answers whether there were any. */
  drain(): boolean {
    let any = false;
    for (;;) {
      let progress = false;
      for (const link of this.#links) progress = this.#drainLink(link, false) || progress;
      if (!progress) break;
      any = true;
    }
    // What is left waits for a slower shard, and must not hold up other clients' replies.
    for (const link of this.#links) {
      any = this.#drainLink(link, true) || any;
      if (link.replies.release()) link.replies.wakeWriter();
    }
    if (this.#stalled.size > 0) this.#retryStalled();
    return any;
  }

  /** Whether a shard has published something that was not taken. */
  get hasReplies(): boolean {
    return this.#links.some((link) => link.replies.next() >= 0);
  }

  #drainLink(link: ShardLink, outOfTurn: boolean): boolean {
    const { words } = this.#parts.memory;
    const ring = link.replies;
    let progress = false;
    for (let at = ring.next(); at >= 0; at = ring.next()) {
      const word = at >> 2;
      const kindWord = words[word + Reply.kind]!;
      if (kindWord === FrameKind.command) {
        const client = this.#clients[words[word + Reply.connection]!]!;
        const sequence = words[word + Reply.sequence]! >>> 0;
        const count = words[word + Reply.count]!;
        const bodyBytes = words[word + Reply.bodyBytes]!;
        const body = at + (Reply.body << 2);
        if (sequence === client.dueSequence) client.deliverShared(count, body, bodyBytes);
        else if (!outOfTurn) return progress;
        else client.deliver(sequence, count, this.#parts.memory.bytes, body, bodyBytes);
        if (client.socket.isClosed) this.#finishIfGone(client);
        this.#countReply(words[word + Reply.doneUs]!, count);
      } else {
        this.#takeRare(link, word, kindWord);
      }
      progress = true;
      ring.advance(words[word + Reply.bytes]!);
    }
    return progress;
  }

  /** The reply phase: from the shard's being done to here, where the bytes go to the socket's buffer. */
  #countReply(doneUs: number, count: number): void {
    const us = Math.max((this.#nowUs - doneUs) | 0, 0);
    this.#parts.page.queued(us * TICKS_PER_US);
    const values = this.#values;
    values[AT.replyUs] = values[AT.replyUs]! + us;
    values[AT.replies] = values[AT.replies]! + count;
  }

  #takeRare(link: ShardLink, word: number, kindWord: number): void {
    const { words, bytes } = this.#parts.memory;
    const length = words[word + Reply.bodyBytes]!;
    const at = (word + Reply.body) << 2;
    const body =
      (kindWord & TRANSFERRED) === 0
        ? bytes.slice(at, at + length)
        : new Uint8Array(link.port.receive(), 0, length);
    const slot = words[word + Reply.connection]!;
    const sequence = words[word + Reply.sequence]! >>> 0;
    switch (kindWord & KIND_MASK) {
      case FrameKind.command: {
        const client = this.#clients[slot]!;
        client.deliver(sequence, words[word + Reply.count]!, body, 0, length);
        if (client.socket.isClosed) this.#finishIfGone(client);
        break;
      }
      case FrameKind.part:
        this.#takePart(link, word, slot, sequence, body);
        break;
      case FrameKind.copies:
        this.#forward(slot, FrameKind.copies, body);
        break;
      case FrameKind.returned:
        this.#forward(slot, FrameKind.returned, body);
        break;
      default:
        unreachable('a shard sends known frames');
    }
  }

  #takePart(link: ShardLink, word: number, slot: number, sequence: number, body: Bytes): void {
    const { words } = this.#parts.memory;
    const bySequence = this.#gathers.get(slot);
    const gather = bySequence?.get(sequence);
    if (bySequence === undefined || gather === undefined) {
      unreachable('a part answers a gathered command');
    }
    gather.executeTicks = Math.max(gather.executeTicks, words[word + Reply.executeTicks]!);
    gather.queueUs = Math.max(gather.queueUs, words[word + Reply.queueUs]!);
    const isError = (words[word + Reply.flags]! & ReplyFlag.error) !== 0;
    this.#values[AT.scatterShards] = this.#values[AT.scatterShards]! + 1;
    if (!gather.add(link.index, body, isError)) return;
    bySequence.delete(sequence);
    if (bySequence.size === 0) this.#gathers.delete(slot);
    this.#finishGather(gather);
  }

  #finishGather(gather: Gather): void {
    const { client, sequence } = gather;
    const reply = this.#reply;
    reply.at = 0;
    reply.protocol = client.protocol;
    reply.errorText = null;
    gather.write(reply);
    this.#parts.page.executed(gather.commandId, gather.executeTicks);
    const entry = commandTable.entries[gather.commandId]!;
    if (reply.errorText !== null) this.#countError(entry, reply.errorText);
    const bytes = reply.take();
    client.deliver(sequence, 1, bytes, 0, gather.isMuted ? 0 : bytes.length);
    if (client.socket.isClosed) this.#finishIfGone(client);
  }

  #forward(shard: number, kind: number, body: Bytes): void {
    const link = this.#links[shard] ?? unreachable('copies go to a shard that exists');
    link.sendMessage({ ...emptyHead(), kind }, body);
  }

  #finishIfGone(client: Client): void {
    if (client.socket.isClosed && client.outstanding === 0) this.#freeSlot(client);
  }

  // What had to wait.

  /** Offers again what could not be taken, in the order in which it came. */
  #retryStalled(): void {
    const waiting = [...this.#stalled];
    this.#stalled.clear();
    for (const client of waiting) client.socket.resume();
  }

  #retry(client: Client): void {
    if (this.#held.delete(client)) client.socket.resume();
  }

  /** Something that made clients wait has ended. */
  retryAll(): void {
    const waiting = [...this.#held];
    this.#held.clear();
    for (const client of waiting) client.socket.resume();
  }

  /** Counts what a client waited for as answered: a blocked client has taken no command since. */
  #giveUpWait(client: Client): void {
    this.#unblock(client);
    client.deliver((client.nextSequence - 1) >>> 0, 1, NO_BYTES, 0, 0);
  }

  #unblock(client: Client): void {
    client.isBlocked = false;
    this.#values[AT.blockedClients] = this.#values[AT.blockedClients]! - 1;
  }
}

function unknownCommand(args: Arguments): CommandError {
  const name = args.latin1(0).slice(0, UNKNOWN_ARGUMENTS_SHOWN_BYTES);
  let shown = '';
  for (let index = 1; index < args.count && shown.length < UNKNOWN_ARGUMENTS_SHOWN_BYTES; index += 1) {
    const left = UNKNOWN_ARGUMENTS_SHOWN_BYTES - shown.length;
    shown += `'${latin1(args.source, args.at(index), Math.min(args.length(index), left))}' `;
  }
  return errors.unknownCommand(name, shown);
}
