/**
 * Commands that read keys which only values tell (SORT BY, GET): first the owner of their own keys is asked
 * which, then the command is sent with those keys lent. When they have changed in between, the command notices
 * where it runs, and it begins anew; so what is answered was true at one place of the order.
 */

import { errors, asBuffer, type Bytes } from '#base';
import { Arguments, findKeys, type CommandEntry } from '#commands';
import { FrameKind } from '#link';
import { OwnedReply, type CommandBytes } from '#resp';
import type { Client } from './client.ts';
import { databasesOf, lendToOne, watchedName, type PlannedKey } from './exec-plan.ts';
import type { Roster } from './roster.ts';
import type { Routes } from './routes.ts';
import { ownedCopy } from './transaction.ts';

/** Others may change the keys each time; whoever loses so often is told. */
const TRIES_MAX = 1_000;

interface Inquiry {
  readonly sequence: number;
  readonly entry: CommandEntry;
  readonly command: CommandBytes;
  readonly flags: number;
  readonly database: number;
  tries: number;
  /** What found a ring full, to be done when there is room. */
  waiting: (() => boolean) | undefined;
}

export class Inquiries {
  readonly #routes: Routes;
  readonly #roster: Roster;
  readonly #open = new Map<Client, Inquiry>();
  readonly #args = new Arguments();

  constructor(routes: Routes, roster: Roster) {
    this.#routes = routes;
    this.#roster = roster;
  }

  /** Whether the command must be sent this way. */
  concerns(entry: CommandEntry, args: Arguments): boolean {
    const { command } = entry;
    if (command.route !== 'oneShard' || command.otherKeys === undefined) return false;
    return this.#routes.links.length > 1 && command.otherKeys.areNamed(args);
  }

  /** Asks which keys the command reads; false when a ring is full, and then nothing was sent. */
  send(client: Client, entry: CommandEntry, command: CommandBytes): boolean {
    const { flags } = this.#routes.fillHead(client, entry, FrameKind.inquiry);
    const inquiry: Inquiry = {
      ...{ sequence: client.nextSequence, entry, command: ownedCopy(command), flags },
      ...{ database: client.database, tries: 0, waiting: undefined },
    };
    if (!this.#ask(client, inquiry)) return false;
    client.takeSequence();
    if (client.replyMode !== 'on') client.endMuting();
    this.#open.set(client, inquiry);
    // A transaction that is conducted waits by itself.
    if (client.isConducting) return true;
    client.awaitsReply = true;
    client.answered = () => {
      this.#end(client);
    };
    return true;
  }

  /** The owner has named the keys; undefined: those named before have changed. */
  named(client: Client, sequence: number, names: Bytes | undefined): void {
    const inquiry = this.#open.get(client);
    if (inquiry?.sequence !== sequence) return;
    inquiry.waiting = () =>
      names === undefined ? this.#askAgain(client, inquiry) : this.#run(client, inquiry, names);
    this.retry();
  }

  /** Goes on with what found a ring full. */
  retry(): void {
    for (const inquiry of this.#open.values()) {
      if (inquiry.waiting?.() === true) inquiry.waiting = undefined;
    }
  }

  get isWaiting(): boolean {
    for (const { waiting } of this.#open.values()) if (waiting !== undefined) return true;
    return false;
  }

  /** A transaction of the client has ended. */
  forget(client: Client): void {
    this.#open.delete(client);
  }

  #ask(client: Client, inquiry: Inquiry): boolean {
    const { command } = inquiry;
    const args = this.#point(inquiry);
    const owner = this.#routes.ownership.ownerOf(args.source, args.at(1), args.length(1));
    const link = this.#routes.links[owner]!;
    const size = link.frameSize(command.count, command.length);
    const at = link.reserve(size);
    if (at < 0) return false;
    link.writeCommand(at, size, this.#head(client, inquiry, FrameKind.inquiry), command);
    return true;
  }

  #askAgain(client: Client, inquiry: Inquiry): boolean {
    inquiry.tries += 1;
    if (inquiry.tries <= TRIES_MAX) return this.#ask(client, inquiry);
    const reply = new OwnedReply(client.protocol);
    reply.error(errors.keysKeepChanging);
    const bytes = reply.take();
    client.deliver(inquiry.sequence, 1, bytes, 0, bytes.length);
    return true;
  }

  #run(client: Client, inquiry: Inquiry, names: Bytes): boolean {
    const plan = lendToOne(this.#keysOf(inquiry, names));
    const kind = plan.lenders.size === 0 ? FrameKind.command : FrameKind.host;
    return this.#routes.sendLent(this.#head(client, inquiry, kind), inquiry.command, plan);
  }

  #keysOf(inquiry: Inquiry, names: Bytes): PlannedKey[] {
    const { entry, database } = inquiry;
    const { ownership } = this.#routes;
    const args = this.#point(inquiry);
    const keys = new Map<string, PlannedKey>();
    for (const { index, spec } of findKeys(entry.command.keys, args) ?? []) {
      const shard = ownership.ownerOf(args.source, args.at(index), args.length(index));
      for (const of of databasesOf(entry.command, spec, args, database)) {
        const isWritable = spec.access !== 'RO';
        const name = watchedName(of, args, index);
        const known = keys.get(name);
        if (known !== undefined) known.isWritable ||= isWritable;
        else keys.set(name, { shard, database: of, key: args.view(index), isWritable });
      }
    }
    for (const key of namesIn(names)) {
      const name = `${String(database)}:${Buffer.from(key).toString('latin1')}`;
      if (keys.has(name)) continue;
      const shard = ownership.ownerOf(key, 0, key.length);
      keys.set(name, { shard, database, key, isWritable: false });
    }
    return [...keys.values()];
  }

  #point({ command }: Inquiry): Arguments {
    const args = this.#args;
    args.point(command.source, command.at, command.spans, 0, command.count);
    return args;
  }

  #head(client: Client, inquiry: Inquiry, kind: number): ReturnType<Routes['fillHead']> {
    const head = this.#routes.fillHead(client, inquiry.entry, kind);
    head.flags = inquiry.flags;
    head.sequence = inquiry.sequence;
    return head;
  }

  #end(client: Client): void {
    this.#open.delete(client);
    client.answered = undefined;
    client.awaitsReply = false;
    client.releasePushes();
    this.#roster.retry(client);
  }
}

function namesIn(body: Bytes): Bytes[] {
  const buffer = asBuffer(body);
  const names: Bytes[] = [];
  for (let at = 0; at < buffer.length;) {
    const end = at + 4 + buffer.readUInt32LE(at);
    names.push(buffer.subarray(at + 4, end));
    at = end;
  }
  return names;
}
