/** Commands that the server itself runs on its data, through the same ways as those of clients. */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Bytes } from '#base';
import { Connection, type ConnectionConfig, type ConnectionOwner, type Taking } from '#net';
import type { ParsedCommand } from '#resp';
import type { Client, Router } from '#router';
import type { Clients } from '#clients';
import { PrimaryTransport } from '#replication';

const LOOK_MS = 2;

interface OwnCommandsOptions {
  readonly router: Router;
  readonly clients: Clients;
  readonly config: ConnectionConfig;
}

/** Runs commands one after the other; settles when all are done. */
export async function runOwnCommands(options: OwnCommandsOptions, commands: Bytes): Promise<void> {
  const own = new OwnCommands(options);
  try {
    await own.run(commands);
  } finally {
    own.end();
  }
}

class OwnCommands implements ConnectionOwner {
  readonly #options: OwnCommandsOptions;
  readonly #transport: PrimaryTransport;
  readonly #connection: Connection;
  readonly #client: Client;

  constructor(options: OwnCommandsOptions) {
    const { clients, config, router } = options;
    this.#options = options;
    this.#transport = new PrimaryTransport({
      pause: () => undefined,
      resume: () => undefined,
      replied: () => undefined,
      destroyed: () => undefined,
    });
    const ends = { remote: 'cluster', local: '', isUnix: false };
    this.#connection = new Connection(this.#transport, ends, { ...config, mayWrite: undefined });
    this.#connection.owner = this;
    router.readClock();
    this.#client = clients.addPrimary(this.#connection);
  }

  async run(commands: Bytes): Promise<void> {
    this.#transport.received(commands);
    const client = this.#client;
    while (client.replies.outstanding > 0 || client.wait.isOccupied || this.#connection.isStalled) {
      if (this.#connection.isStalled) this.#options.router.retryAll();
      await sleep(LOOK_MS);
    }
  }

  end(): void {
    this.#transport.isOver = true;
    this.#connection.destroy();
    this.closed();
  }

  // As owner of the connection.

  command(command: ParsedCommand): Taking {
    return this.#options.router.dispatch(this.#client, command);
  }

  get isOwedReplies(): boolean {
    return false;
  }

  protocolError(): 'taken' {
    // The server's own commands are always valid.
    return 'taken';
  }

  queryMemoryChanged(): void {
    // What the server sends itself is not limited.
  }

  ended(): void {
    // It ends when its commands are done.
  }

  closed(): void {
    this.#options.clients.removed(this.#client);
    this.#options.router.removeClient(this.#client);
  }

  wrote(): void {
    // Not counted for any client.
  }

  backlogged(): void {
    // The replies are discarded.
  }
}
