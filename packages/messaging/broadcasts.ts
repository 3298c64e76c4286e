/** Keys that have changed in this turn, for clients that track prefixes in BCAST mode. */

import type { ReplyWriter } from '#resp';
import type { Client } from '#router';

interface PrefixState {
  readonly clients: Set<Client>;
  /** Changed keys, and who changed them last. */
  readonly keys: Map<string, Client | undefined>;
}

type Report = (client: Client, writeKeys: (writer: ReplyWriter) => void) => void;

export class Broadcasts {
  readonly #report: Report;
  readonly #prefixes = new Map<string, PrefixState>();
  #hasKeys = false;

  constructor(report: Report) {
    this.#report = report;
  }

  get prefixCount(): number {
    return this.#prefixes.size;
  }

  add(client: Client, prefix: string): void {
    let state = this.#prefixes.get(prefix);
    if (state === undefined) {
      state = { clients: new Set(), keys: new Map() };
      this.#prefixes.set(prefix, state);
    }
    state.clients.add(client);
  }

  remove(client: Client, prefix: string): void {
    const state = this.#prefixes.get(prefix);
    state?.clients.delete(client);
    if (state?.clients.size === 0) this.#prefixes.delete(prefix);
  }

  modified(name: string, writer: Client | undefined): void {
    for (const [prefix, { keys }] of this.#prefixes) {
      if (!name.startsWith(prefix)) continue;
      keys.set(name, writer);
      this.#hasKeys = true;
    }
  }

  /** Sends all messages, one for each prefix. */
  send(): void {
    if (!this.#hasKeys) return;
    this.#hasKeys = false;
    for (const { clients, keys } of this.#prefixes.values()) {
      if (keys.size === 0) continue;
      for (const client of clients) this.#sendTo(client, keys);
      keys.clear();
    }
  }

  #sendTo(client: Client, keys: ReadonlyMap<string, Client | undefined>): void {
    const isSpared = client.roles.tracking?.noLoop === true;
    const names = [...keys].filter(([, writer]) => !isSpared || writer !== client);
    if (names.length === 0) return;
    this.#report(client, (reply) => {
      reply.arrayHeader(names.length);
      for (const [name] of names) reply.text(name, 'latin1');
    });
  }
}
