/**
 * Server-assisted client-side caching: which client has read which key, and invalidation messages. Keys are recorded
 * when a command is routed, which is before it is executed. A change made earlier in the order may thus be reported for
 * a key that is read only later: its message comes after that command's reply, so the client drops a valid value, and
 * never keeps an invalid one. The same holds for reads of a transaction that is then not executed. The client's own
 * changes are recognized by their sequence.
 */

import { latin1 } from '#base';
import {
  type Arguments,
  type ClientPort,
  type CommandEntry,
  findKeys,
  type TrackingOptions,
  type TracksPort,
} from '#commands';
import type { Page } from '#stats';
import type { KeyEvent } from '#link';
import type { ReplyWriter } from '#resp';
import type { Client, WatchedCall } from '#router';
import type { FanOut } from './fan-out.ts';
import { Broadcasts } from './broadcasts.ts';

const INVALIDATION_CHANNEL = '__redis__:invalidate';
/** Keys that one turn drops from a table that is too large; more with every turn that it stays so. */
const DROPPED_PER_TURN = 100;

/** A command of a client: its sequence, and which of a transaction's commands it is. */
interface ReadAt {
  readonly sequence: number;
  readonly step: number;
}

/** The first read of a key since its last reported change, and the last read. */
interface Reads {
  readonly first: ReadAt;
  readonly last: ReadAt;
}

/** Collaborators of tracking. */
interface TrackingTableOptions {
  fanOut: FanOut;
  page: Page;
  clientById: (id: number) => Client | undefined;
  clientInSlot: (slot: number) => Client | undefined;
  /** Switches reports of changed keys by the shards on or off. */
  follow: (isOn: boolean) => void;
  keysMax: () => number;
  random: () => number;
}

export class Tracking implements TracksPort {
  readonly #options: TrackingTableOptions;
  /** Clients that have read a key, by id since they may have disconnected. */
  readonly #readers = new Map<string, Map<number, Reads>>();
  /** The keys again, so that one can be drawn: its place is in `#places`. */
  readonly #keys: string[] = [];
  readonly #places = new Map<string, number>();
  readonly #clients = new Set<Client>();
  readonly #broadcasts: Broadcasts;
  #items = 0;
  #turnsOverLimit = 0;

  constructor(options: TrackingTableOptions) {
    this.#options = options;
    this.#broadcasts = new Broadcasts((client, writeKeys) => {
      this.#report(client, writeKeys);
    });
  }

  /** True while commands must be shown to `routed`. */
  get isOn(): boolean {
    return this.#clients.size > 0;
  }

  enable(port: ClientPort, options: TrackingOptions): void {
    const client = port as Client;
    const prefixes = new Set(client.roles.tracking?.prefixes);
    if (options.broadcasts) {
      for (const prefix of options.prefixes.length > 0 ? options.prefixes : ['']) {
        prefixes.add(prefix);
        this.#broadcasts.add(client, prefix);
      }
    }
    const isCachingGiven = client.roles.tracking?.isCachingGiven ?? false;
    client.ownRoles.tracking = {
      ...options,
      prefixes: [...prefixes],
      isBroken: false,
      isCachingGiven,
    };
    const isFirst = !this.isOn;
    this.#clients.add(client);
    if (isFirst) this.#options.follow(true);
    this.#count();
  }

  /** Ends tracking. The client's recorded reads stay, as in Redis, until the keys change or no client uses tracking. */
  disable(port: ClientPort): void {
    const client = port as Client;
    if (client.roles.tracking === undefined) return;
    for (const prefix of client.roles.tracking.prefixes) this.#broadcasts.remove(client, prefix);
    client.ownRoles.tracking = undefined;
    this.#clients.delete(client);
    if (!this.isOn) {
      // Shards report no changes from now on, so the table would soon be wrong.
      this.#options.follow(false);
      this.#clear();
    }
    this.#count();
  }

  /** A command of a tracking client has been sent on, or its script calls one: what a script reads are its calls' keys. */
  routed(client: Client, entry: CommandEntry, args: Arguments, call?: WatchedCall): void {
    const { tracking } = client.roles;
    if (tracking === undefined) return;
    const isRead = entry.has('readonly') && entry.script === undefined;
    if (call !== undefined) {
      const isCachingGiven = call.sequence === tracking.cachingScript;
      if (isRead && follows(tracking, isCachingGiven)) {
        this.#remember(client, entry, args, call.sequence);
      }
      return;
    }
    const { isCachingGiven } = tracking;
    if (isRead && follows(tracking, isCachingGiven)) this.#remember(client, entry, args);
    if (entry.script !== undefined && isCachingGiven) tracking.cachingScript = sequenceOf(client);
    // It is for one command, and further words about it are none.
    if (entry.container?.name !== 'CLIENT') tracking.isCachingGiven = false;
  }

  #remember(
    client: Client,
    entry: CommandEntry,
    args: Arguments,
    sequence = sequenceOf(client),
  ): void {
    const readAt: ReadAt = { sequence, step: client.replies.step };
    for (const { index } of findKeys(entry.command.keys, args) ?? []) {
      const key = args.latin1(index);
      let readers = this.#readers.get(key);
      if (readers === undefined) {
        readers = new Map<number, Reads>();
        this.#readers.set(key, readers);
        this.#places.set(key, this.#keys.length);
        this.#keys.push(key);
      }
      const known = readers.get(client.id);
      if (known === undefined) this.#items += 1;
      readers.set(client.id, { first: known?.first ?? readAt, last: readAt });
    }
    this.#count();
  }

  modified({ connection, sequence, step, key }: KeyEvent): void {
    const name = latin1(key);
    const writer = connection < 0 ? undefined : this.#options.clientInSlot(connection);
    // Invalidations caused by the client's own blocked command follow its reply.
    if (writer?.wait.isBlocked === true) writer.wait.isServed = true;
    this.#broadcasts.modified(name, writer);
    this.#invalidate(name, writer, { sequence, step });
  }

  /** A database, or all of them, was emptied: nothing that was read is to be relied on. */
  flushed(): void {
    for (const client of this.#clients) this.#report(client, writeNothing);
    this.#clear();
    this.#count();
  }

  #clear(): void {
    this.#readers.clear();
    this.#places.clear();
    this.#keys.length = 0;
    this.#items = 0;
  }

  /** Sends the collected messages, and limits the size of the table. Called before outputs are written. */
  endTurn(): void {
    this.#broadcasts.send();
    const most = this.#options.keysMax();
    if (most === 0 || this.#keys.length <= most) {
      this.#turnsOverLimit = 0;
      return;
    }
    this.#turnsOverLimit += 1;
    let left = DROPPED_PER_TURN * this.#turnsOverLimit;
    while (left > 0 && this.#keys.length > most) {
      const drawn = this.#keys[Math.floor(this.#options.random() * this.#keys.length)]!;
      this.#invalidate(drawn);
      left -= 1;
    }
  }

  /** Ends all tracking of a client that has disconnected or was reset. */
  forget(client: Client): void {
    this.disable(client);
  }

  /** A key was changed by `writer`; without `changedAt`, it is forgotten. */
  #invalidate(name: string, writer?: Client, changedAt?: ReadAt): void {
    const readers = this.#readers.get(name);
    if (readers === undefined) return;
    for (const [id, reads] of readers) {
      const client = this.#options.clientById(id);
      const left = client && changedAt && readsLeft(reads, client, writer, changedAt);
      // What it read after its own change is still as it was read.
      if (left === reads && client === writer) continue;
      if (client !== undefined) this.#reportKey(client, writer, name);
      if (left === undefined) {
        readers.delete(id);
        this.#items -= 1;
      } else {
        readers.set(id, left);
      }
    }
    if (readers.size === 0) this.#removeKey(name);
    this.#count();
  }

  #reportKey(client: Client, writer: Client | undefined, name: string): void {
    if (!mustBeNotified(client, writer)) return;
    this.#report(client, (reply) => {
      reply.arrayHeader(1);
      reply.text(name, 'latin1');
    });
  }

  #removeKey(name: string): void {
    this.#readers.delete(name);
    const place = this.#places.get(name)!;
    this.#places.delete(name);
    const last = this.#keys.pop()!;
    if (last === name) return;
    this.#keys[place] = last;
    this.#places.set(last, place);
  }

  /** Sends keys that have changed to a client, or to the one it redirects to. */
  #report(client: Client, writeKeys: (writer: ReplyWriter) => void): void {
    const { tracking } = client.roles;
    if (tracking === undefined) return;
    const { redirection } = tracking;
    const target = redirection === 0 ? client : this.#options.clientById(redirection);
    if (target === undefined) {
      this.#reportBroken(client, redirection);
      return;
    }
    if (target.session.protocol === 3) {
      this.#options.fanOut.send(target, (writer) => {
        writer.pushHeader(2);
        writer.text('invalidate');
        writeKeys(writer);
      });
    } else if (target !== client && target.roles.subscriptions !== undefined) {
      this.#options.fanOut.send(target, (writer) => {
        writer.pushHeader(3);
        writer.text('message');
        writer.text(INVALIDATION_CHANNEL);
        writeKeys(writer);
      });
    }
  }

  #reportBroken(client: Client, redirection: number): void {
    if (client.roles.tracking !== undefined) client.roles.tracking.isBroken = true;
    if (client.session.protocol !== 3) return;
    this.#options.fanOut.send(client, (writer) => {
      writer.pushHeader(2);
      writer.text('tracking-redir-broken');
      writer.integer(redirection);
    });
  }

  #count(): void {
    const { page } = this.#options;
    page.set('trackingClients', this.#clients.size);
    page.set('trackingKeys', this.#keys.length);
    page.set('trackingItems', this.#items);
    page.set('trackingPrefixes', this.#broadcasts.prefixCount);
  }
}

/** True when what a client reads is followed; `isCachingGiven` says that CLIENT CACHING came ahead. */
function follows(tracking: TrackingOptions, isCachingGiven: boolean): boolean {
  const { optIn, optOut, broadcasts } = tracking;
  if (broadcasts) return false;
  if (optIn) return isCachingGiven;
  return !(optOut && isCachingGiven);
}

/** Sequence of the command that a client has sent last. */
function sequenceOf(client: Client): number {
  return (client.replies.nextSequence - 1) >>> 0;
}

/** True when a command that reads at `readAt` waits for its keys: it still has to read them. */
function awaits(client: Client, readAt: ReadAt): boolean {
  return client.wait.isBlocked && readAt.sequence === client.replies.dueSequence;
}

/** Returns a client's reads of a key after a change of `writer`; undefined when they are all of the past. */
function readsLeft(
  reads: Reads,
  client: Client,
  writer: Client | undefined,
  changedAt: ReadAt,
): Reads | undefined {
  if (client === writer) {
    if (isBefore(changedAt, reads.first)) return reads;
    // Of those in between it is not known which is the first after the change.
    if (isBefore(changedAt, reads.last)) return { first: changedAt, last: reads.last };
  }
  return awaits(client, reads.last) ? reads : undefined;
}

function isBefore(one: ReadAt, other: ReadAt): boolean {
  const ahead = (one.sequence - other.sequence) | 0;
  return ahead < 0 || (ahead === 0 && one.step < other.step);
}

/**
 * True when a client must be notified of a change: clients in BCAST mode are notified separately, and NOLOOP omits a
 * client's own changes.
 */
function mustBeNotified(client: Client, writer: Client | undefined): boolean {
  const { tracking } = client.roles;
  if (tracking === undefined || tracking.broadcasts) return false;
  return !tracking.noLoop || client !== writer;
}

function writeNothing(writer: ReplyWriter): void {
  writer.nil();
}
