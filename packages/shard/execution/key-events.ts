/**
 * Events of keys, sent to main while there are subscribers: keyspace notifications, and changed keys for clients with
 * tracking. Without subscribers the cost is one check of `isOn`.
 */

import type { Bytes } from '#base';
import type { EventClass } from '#commands';
import { FrameKind, KeyEventFlag, KeyEventWriter, NO_ORIGIN, type Origin } from '#link';
import type { FieldsGone, StoreEvents } from '#store';
import type { ReplySender } from '../frames/reply-sender.ts';
import type { Settings } from '../settings/settings.ts';

/** Event classes that `A` stands for. */
const ALL_CLASSES = 'g$lshzxetd';
const NO_KEY: Bytes = new Uint8Array(0);

interface Happening {
  readonly database: number;
  readonly key: Bytes;
  /** True when the key was changed. */
  readonly isChange: boolean;
  readonly origin: Origin;
}

export class KeyEvents implements Omit<StoreEvents, 'fieldsDropped' | 'endSet'> {
  /** True while anything that happens is of interest. */
  isOn = false;
  /** Whose command is being run. */
  readonly origin: Origin = { ...NO_ORIGIN };
  readonly #sender: ReplySender;
  readonly #speaksForAll: boolean;
  readonly #writer = new KeyEventWriter();
  /** Names under which notifications go out: bits of KeyEventFlag. */
  #names = 0;
  #classes: ReadonlySet<string> = new Set();
  /** Somebody tracks keys. */
  #isTracked = false;

  /** `speaksForAll`: true for the shard that sends events which occur on every shard. */
  constructor(sender: ReplySender, speaksForAll: boolean) {
    this.#sender = sender;
    this.#speaksForAll = speaksForAll;
  }

  apply(settings: Settings): void {
    const letters = settings.string('server.notify-keyspace-events');
    this.#names =
      (letters.includes('K') ? KeyEventFlag.keyspace : 0) |
      (letters.includes('E') ? KeyEventFlag.keyevent : 0);
    this.#classes = new Set(letters.replace('A', ALL_CLASSES));
    this.#decide();
  }

  /** True when notifications of changed types are published. */
  get reportsTypes(): boolean {
    return this.#names !== 0 && this.#classes.has('c');
  }

  set isTracked(value: boolean) {
    this.#isTracked = value;
    this.#decide();
  }

  /** Sets the client whose command runs from now on; without arguments, none. */
  begin(connection = -1, sequence = 0, step = 0): void {
    this.origin.connection = connection;
    this.origin.sequence = sequence;
    this.origin.step = step;
  }

  /** `isChange`: the key was changed. */
  add(type: EventClass, name: string, database: number, key: Bytes, isChange: boolean): void {
    this.#add(type, name, { database, key, isChange, origin: this.origin });
  }

  #add(type: EventClass, name: string, { database, key, isChange, origin }: Happening): void {
    let flags = name !== '' && this.#classes.has(type) ? this.#names : 0;
    if (isChange && this.#isTracked) flags |= KeyEventFlag.modified;
    if (flags !== 0) this.#writer.add(flags, database, origin, name, key);
  }

  flushed(): void {
    if (!this.#isTracked || !this.#speaksForAll) return;
    this.#writer.add(KeyEventFlag.flushed, 0, this.origin, '', NO_KEY);
  }

  /** Sends the events of the current command to main, before its reply. */
  sendAhead(): void {
    if (!this.#writer.isEmpty) this.#sender.sendAhead(FrameKind.events, this.#writer.take());
  }

  /** Sends the events without a command. */
  sendRest(): void {
    if (!this.#writer.isEmpty) this.#sender.send(FrameKind.events, -1, 0, this.#writer.take());
  }

  // What the store does by itself.

  expired(database: number, key: Bytes, at: number, length: number): void {
    if (!this.isOn) return;
    const name = key.subarray(at, at + length);
    this.#add('x', 'expired', { database, key: name, isChange: true, origin: NO_ORIGIN });
  }

  evicted(database: number, key: Bytes, at: number, length: number): void {
    if (!this.isOn) return;
    const name = key.subarray(at, at + length);
    this.#add('e', 'evicted', { database, key: name, isChange: true, origin: NO_ORIGIN });
  }

  fieldsExpired(
    database: number,
    key: Bytes,
    at: number,
    length: number,
    { isKeyGone }: FieldsGone,
  ): void {
    if (!this.isOn) return;
    const name = key.subarray(at, at + length);
    const happening = { database, key: name, origin: NO_ORIGIN };
    this.#add('h', 'hexpired', { ...happening, isChange: true });
    if (isKeyGone) this.#add('g', 'del', { ...happening, isChange: false });
  }

  #decide(): void {
    this.isOn = this.#isTracked || (this.#names !== 0 && this.#classes.size > 0);
  }
}
