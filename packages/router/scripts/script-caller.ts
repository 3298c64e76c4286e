/** Client as which main executes requests of scripts: one for each shard, without a connection. */

import { User } from '#acl';
import { type Bytes, unreachable } from '#base';
import type { Arguments, CommandEntry } from '#commands';
import type { LinkMemory } from '#link';
import { type CommandBytes, OwnedReply } from '#resp';
import { Client } from '../clients/client.ts';
import type { ClientSocket } from '../clients/client-socket.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import type { Routes } from '../routes/routes.ts';
import type { KeyDiscovery } from '../routes/key-discovery.ts';

/** Stands for the address of a script's calls, as MONITOR shows it. */
const SCRIPT_ADDRESS = 'lua';

/** Command that a script calls. */
export interface ScriptCommand {
  readonly entry: CommandEntry;
  readonly args: Arguments;
  readonly command: CommandBytes;
  readonly database: number;
  readonly protocol: 2 | 3;
  /** Slot of the client that runs the script, and the sequence of its command. */
  readonly connection: number;
  readonly sequence: number;
}

interface ScriptCallerOptions {
  readonly clientRegistry: ClientRegistry;
  readonly memory: LinkMemory;
  readonly routes: Routes;
  readonly keyDiscovery: KeyDiscovery;
}

export class ScriptCaller {
  readonly client: Client;
  readonly #options: ScriptCallerOptions;
  readonly #reply = new OwnedReply();

  constructor(options: ScriptCallerOptions) {
    this.#options = options;
    const { clientRegistry, memory } = options;
    const socket = new CallerSocket(memory, this.#reply);
    this.client = clientRegistry.add((slot) => new Client(0, slot, socket, 0, NO_BLOCKS, CALLER));
    this.client.session.authenticated = true;
    // What it sends passes the barrier at which the shards stand.
    this.client.wait.isAtBarrier = true;
  }

  /** Sends a command; false when a ring is full, and then nothing was sent. `done` gets the reply, in pieces. */
  send(call: ScriptCommand, done: (reply: readonly Bytes[]) => void): boolean {
    const { client } = this;
    const { routes, keyDiscovery, clientRegistry } = this.#options;
    const { entry, args, command } = call;
    // What it may do is what the client may do that runs the script.
    const identity = clientRegistry.inSlot(call.connection)?.session.identity ?? CALLER;
    if (client.session.identity !== identity) client.session.identity = identity;
    client.session.database = call.database;
    client.session.protocol = call.protocol;
    client.account.lastCommandId = entry.id;
    client.wait.answered = () => {
      client.wait.answered = undefined;
      keyDiscovery.forget(client);
      done([...this.#reply.takeChunks(), this.#reply.take().slice()]);
    };
    const isSent = keyDiscovery.concerns(entry, args)
      ? keyDiscovery.send(client, entry, command)
      : routes.send(client, entry, args, command);
    if (!isSent) client.wait.answered = undefined;
    return isSent;
  }
}

/** User in place of that of a disconnected client. */
const CALLER = User.unrestricted();

/** A script has one call under way at a time, so no reply of it comes before its turn. */
const NO_BLOCKS = {
  memory: { bytes: new Uint8Array(0), copy: unexpected },
  blockBytes: 0,
  take: unexpected,
  give: unexpected,
};

function unexpected(): never {
  return unreachable('a reply to a script comes in its turn');
}

/** Socket that stores replies in memory, and has no input. */
class CallerSocket implements ClientSocket {
  readonly remoteAddress = SCRIPT_ADDRESS;
  readonly localAddress = SCRIPT_ADDRESS;
  readonly bytesRead = 0;
  readonly queryBytes = 0;
  readonly parsedBytes = 0;
  readonly queryMemoryBytes = 0;
  readonly isClosed = false;
  readonly isUnix = false;
  readonly descriptor = -1;
  readonly tls = undefined;
  readonly isStalled = false;
  unauthenticated = false;
  readonly output;

  constructor(memory: LinkMemory, reply: OwnedReply) {
    this.output = {
      pendingBytes: 0,
      unsentBytes: 0,
      bytesWritten: 0,
      append: (at: number, length: number): void => {
        reply.raw(memory.bytes, at, length);
      },
      appendBytes: (source: Bytes, at: number, length: number): void => {
        reply.raw(source, at, length);
      },
      give: (bytes: Bytes): void => {
        reply.giveRaw(bytes);
      },
    };
  }

  touch(): void {
    // There is no socket to read from.
  }

  resume(): void {
    // It never stops.
  }

  closeAfterReplies(): void {
    // It has no connection.
  }

  hangUp(): void {
    // The same.
  }

  destroy(): void {
    // The same.
  }
}
