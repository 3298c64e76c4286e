/** The coordinator of a node, of which the client library is loaded when it is first needed: servers without a cluster need none. */

import type { Coordinator, Guard, Outcome, Reading, WatchSink, Write } from './coordinator.ts';
import type { EtcdOptions } from './etcd-coordinator.ts';

/** Returns the way to an etcd; nothing is connected before it is asked for something. */
export function etcd(options: EtcdOptions): Coordinator {
  return new LazyEtcd(options);
}

class LazyEtcd implements Coordinator {
  readonly #options: EtcdOptions;
  #loading: Promise<Coordinator> | undefined;
  #loaded: Coordinator | undefined;
  #isClosed = false;

  constructor(options: EtcdOptions) {
    this.#options = options;
  }

  async read(): Promise<Reading> {
    return (await this.#load()).read();
  }

  watch(from: number, sink: WatchSink): () => void {
    if (this.#loaded === undefined) throw new Error('what is watched was read before');
    return this.#loaded.watch(from, sink);
  }

  async commit(guards: readonly Guard[], writes: readonly Write[]): Promise<Outcome> {
    return (await this.#load()).commit(guards, writes);
  }

  async grant(ttlMs: number): Promise<number> {
    return (await this.#load()).grant(ttlMs);
  }

  async keepAlive(): Promise<number> {
    return (await this.#load()).keepAlive();
  }

  async revoke(): Promise<void> {
    await this.#loaded?.revoke();
  }

  close(): void {
    this.#isClosed = true;
    this.#loaded?.close();
  }

  #load(): Promise<Coordinator> {
    this.#loading ??= import('./etcd-coordinator.ts').then(({ EtcdCoordinator }) => {
      this.#loaded = new EtcdCoordinator(this.#options);
      if (this.#isClosed) this.#loaded.close();
      return this.#loaded;
    });
    return this.#loading;
  }
}
