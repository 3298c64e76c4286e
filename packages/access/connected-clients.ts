/** Clients that are connected, by their ids. */

import type { Client } from '#router';

export class ConnectedClients {
  readonly #byId = new Map<number, Client>();

  /** The oldest first. */
  get all(): readonly Client[] {
    return [...this.#byId.values()];
  }

  get count(): number {
    return this.#byId.size;
  }

  byId(id: number): Client | undefined {
    return this.#byId.get(id);
  }

  add(client: Client): void {
    this.#byId.set(client.id, client);
  }

  remove(client: Client): void {
    this.#byId.delete(client.id);
  }
}
