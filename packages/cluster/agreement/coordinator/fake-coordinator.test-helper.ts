/** A coordinator in memory, for several nodes of a test: its leases end when the test says so. */

import { CoordinatorError } from './coordinator.ts';
import type {
  Change,
  Coordinator,
  Guard,
  Outcome,
  Reading,
  WatchSink,
  Write,
} from './coordinator.ts';

interface Stored {
  readonly value: string;
  readonly revision: number;
  readonly owner: FakeCoordinator | undefined;
}

/** Documents that all nodes share. */
export class FakeStore {
  readonly documents = new Map<string, Stored>();
  readonly watchers = new Set<WatchSink>();
  revision = 1;
  source = 'a store';

  /** Returns a node's way to the store. */
  client(): FakeCoordinator {
    return new FakeCoordinator(this);
  }

  put(key: string, value: string): void {
    this.write([{ key, value }], undefined);
  }

  write(writes: readonly Write[], owner: FakeCoordinator | undefined): void {
    this.revision += 1;
    const { revision } = this;
    const changes = writes.map(({ key, value, isLeased }): Change => {
      if (value === undefined) this.documents.delete(key);
      else this.documents.set(key, { value, revision, owner: isLeased ? owner : undefined });
      return { key, value, revision };
    });
    for (const watcher of [...this.watchers]) watcher.changed(changes, revision);
  }

  /** Ends a lease, with all that goes with it. */
  end(client: FakeCoordinator): void {
    client.hasLease = false;
    for (const [key, { owner }] of [...this.documents]) {
      if (owner === client) this.write([{ key, value: undefined }], undefined);
    }
  }
}

export class FakeCoordinator implements Coordinator {
  hasLease = false;
  /** The way to the store is cut. */
  isCut = false;
  ttlMs = 2_000;
  readonly #store: FakeStore;
  #sink: WatchSink | undefined;

  constructor(store: FakeStore) {
    this.#store = store;
  }

  async read(): Promise<Reading> {
    await this.#pass();
    const entries = [...this.#store.documents].map(([key, { value, revision }]) => ({
      key,
      value,
      revision,
    }));
    return { entries, revision: this.#store.revision, source: this.#store.source };
  }

  watch(_from: number, sink: WatchSink): () => void {
    this.#sink = sink;
    this.#store.watchers.add(sink);
    return () => this.#store.watchers.delete(sink);
  }

  /** The watch is cut off. */
  endWatch(): void {
    if (this.#sink === undefined) return;
    this.#store.watchers.delete(this.#sink);
    this.#sink.ended('cut');
  }

  async commit(guards: readonly Guard[], writes: readonly Write[]): Promise<Outcome> {
    await this.#pass();
    const { documents } = this.#store;
    const holds = guards.every(
      ({ key, revision }) => (documents.get(key)?.revision ?? 0) === revision,
    );
    if (holds) this.#store.write(writes, this);
    return { isDone: holds, revision: this.#store.revision };
  }

  async grant(): Promise<number> {
    await this.#pass();
    this.hasLease = true;
    return this.ttlMs;
  }

  async keepAlive(): Promise<number> {
    await this.#pass();
    return this.hasLease ? this.ttlMs : 0;
  }

  async revoke(): Promise<void> {
    await this.#pass();
    this.#store.end(this);
  }

  close(): void {
    if (this.#sink !== undefined) this.#store.watchers.delete(this.#sink);
  }

  async #pass(): Promise<void> {
    await Promise.resolve();
    if (this.isCut) throw new CoordinatorError('the way is cut');
  }
}
