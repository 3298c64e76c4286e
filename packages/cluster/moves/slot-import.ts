/**
 * The target's side of a slot migration: it follows the source like a replica, and applies what concerns these slots:
 * the keys as commands that restore them, then the stream. No client sees any of it before the slots belong to this
 * node.
 */

import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Bytes, Clock, Logger } from '#base';
import { REDIS_VERSION, type Settings } from '#config';
import type { ConnectionConfig } from '#net';
import type { Router } from '#router';
import { snapshotSplitUrl } from '#workers';
import type { MemberAddress } from '../agreement/documents/documents.ts';
import type { SlotMigration } from '../agreement/topology.ts';
import {
  connectToPrimary,
  type Follower,
  PrimaryLink,
  PrimaryStream,
  type SnapshotSplitOptions,
  type SplitMessage,
  type StreamPosition,
} from '#replication';
import type { Clients } from '#clients';
import { runTask } from '#main';
import type { MoveProgress } from './move-progress.ts';
import { SlotFilter } from './slot-filter.ts';

/** Bytes of the snapshot that the splitter has not looked at: more is not read then. */
const UNSPLIT_BYTES_MAX = 16 * 1024 * 1024;
const TICK_MS = 1_000;

interface SlotImportOptions {
  readonly migration: SlotMigration;
  readonly progress: MoveProgress;
  readonly source: MemberAddress;
  readonly settings: Settings;
  readonly router: Router;
  readonly clients: Clients;
  readonly config: ConnectionConfig;
  readonly clock: Clock;
  readonly log: Logger;
  /** Calls back when the system has all that was done so far, so that it outlives this process. */
  onWritten(done: () => void): void;
  /** The client that brings the keys is there. */
  readonly begun: (clientSlot: number) => void;
  beginTurn(): void;
  failed(reason: string): void;
}

export class SlotImport implements Follower {
  /** Place that is acknowledged: all before it outlives the process. */
  position: StreamPosition | undefined;
  readonly diskOffset = undefined;
  readonly #options: SlotImportOptions;
  readonly #link: PrimaryLink;
  readonly #filter: SlotFilter;
  readonly #tick: NodeJS.Timeout;
  #stream: PrimaryStream | undefined;
  #began: StreamPosition | undefined;
  #port: MessagePort | undefined;
  #unsplit = 0;
  #isStalled = false;
  #hasEnded = false;
  #settle: ((error: Error | undefined) => void) | undefined;
  #ending: Promise<void> | undefined;

  constructor(options: SlotImportOptions) {
    const { settings, clock, log, migration, source, progress } = options;
    this.#options = options;
    this.#filter = new SlotFilter(migration.ranges, (reason) => {
      this.#fail(reason);
    });
    const isSecure = settings.boolean('tls.replication') && source.tlsPort > 0;
    this.#link = new PrimaryLink({
      host: source.host,
      port: isSecure ? source.tlsPort : source.port,
      connect: (host, port) => connectToPrimary(settings, host, port),
      follower: this,
      isHandingOver: () => false,
      answered: () => undefined,
      announced: () => ({
        port: settings.number('server.port'),
        ip: '',
        user: settings.string('replication.primary-user'),
        password: settings.string('replication.primary-password'),
        version: REDIS_VERSION,
        slotMigration: migration.id,
      }),
      timeoutMs: () => 1_000 * settings.number('replication.timeout-secs'),
      nowMs: () => clock.wallMs(),
      changed: () => undefined,
      received: (byteCount) => {
        progress.bytes += byteCount;
      },
      log,
    });
    this.#tick = setInterval(() => {
      this.#link.tick();
      this.#stream?.goOn();
    }, TICK_MS);
  }

  start(): void {
    this.#link.start();
  }

  /** Accepts no more commands; resolves when the accepted ones are executed. */
  end(): Promise<void> {
    this.#ending ??= this.#finish();
    return this.#ending;
  }

  async #finish(): Promise<void> {
    this.#hasEnded = true;
    clearInterval(this.#tick);
    this.#link.stop();
    this.#port?.close();
    await this.#stream?.end();
  }

  #fail(reason: string): void {
    if (this.#hasEnded) return;
    this.#settle?.(new Error(reason));
    this.#options.failed(reason);
  }

  // As follower of the link.

  settled(): Promise<void> {
    return Promise.resolve();
  }

  beginSync(position: StreamPosition): void {
    const { progress } = this.#options;
    if (this.#began !== undefined) {
      this.#fail('the source restarted the transfer');
      return;
    }
    progress.enter('snapshotting');
    this.#began = position;
    this.#newStream(position);
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    port1.on('message', (message: SplitMessage) => {
      this.#hear(message);
    });
    const task: SnapshotSplitOptions = { shardCount: 1, form: 'commands', port: port2 };
    runTask(snapshotSplitUrl, 'splitSnapshot', task, [port2]).catch((error: unknown) => {
      this.#fail(`the keys cannot be split: ${(error as Error).message}`);
    });
  }

  takeData(piece: Bytes): boolean {
    this.#unsplit += piece.length;
    this.#port?.postMessage(piece);
    return !this.#isFull;
  }

  get #isFull(): boolean {
    return this.#isStalled || this.#unsplit > UNSPLIT_BYTES_MAX;
  }

  endSync(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settle = (error) => {
        if (error === undefined) resolve();
        else reject(error);
      };
      this.#port?.postMessage(null);
    });
  }

  goOn(): void {
    this.#fail('the source continues a stream that was not followed');
  }

  beginStream(): void {
    const { progress } = this.#options;
    progress.enter('replicating');
    this.position = this.#began;
  }

  takeStream(piece: Bytes): void {
    this.#stream?.take(piece);
  }

  broken(reason: string): void {
    this.#fail(`the link to the source is broken: ${reason}`);
  }

  #hear(message: SplitMessage): void {
    if (this.#hasEnded) return;
    switch (message.kind) {
      case 'commands':
        this.#restore(message.keys, message.commands);
        break;
      case 'taken':
        this.#unsplit -= message.bytes;
        this.#resume();
        break;
      case 'ended':
        this.#isSplit();
        break;
      case 'failed':
        this.#fail(message.problem);
        break;
      case 'batch':
      case 'library':
      case 'field':
        break;
    }
  }

  #restore(keys: number, commands: Bytes): void {
    this.#options.progress.keys += keys;
    this.#stream?.run(commands);
    this.#options.beginTurn();
  }

  #isSplit(): void {
    this.#port?.close();
    this.#settle?.(undefined);
  }

  #resume(): void {
    if (!this.#isFull) this.#link.resume();
  }

  #newStream(position: StreamPosition): void {
    const { router, clients, config, source, begun } = this.#options;
    this.#stream = new PrimaryStream({
      router,
      clients,
      // The lease does not apply to replies that are discarded.
      config: { ...config, mayWrite: undefined },
      address: `${source.host}:${source.port}`,
      position,
      // The restoring commands start there, and the stream begins with SELECT.
      database: 0,
      nowMs: () => this.#options.clock.wallMs(),
      pause: () => {
        this.#isStalled = true;
        this.#link.pause();
      },
      resume: () => {
        this.#isStalled = false;
        this.#resume();
      },
      fail: (reason) => {
        this.#fail(`the stream of the source ended: ${reason}`);
      },
      acknowledge: () => {
        this.#acknowledge();
      },
      stamped: () => undefined,
      reached: () => undefined,
      failed: (error) => {
        this.#fail(`a command of the source failed: ${error}`);
      },
      relay: () => undefined,
      relayed: () => undefined,
      accepts: (command) => this.#filter.accepts(command),
    });
    begun(this.#stream.client.slot);
  }

  /** Acknowledges applied data to the source, once it would survive a restart of this process. */
  #acknowledge(): void {
    const stream = this.#stream;
    if (stream === undefined || this.#hasEnded) return;
    const { position } = stream;
    this.#options.onWritten(() => {
      if (this.#hasEnded || (this.position?.offset ?? 0) > position.offset) return;
      this.position = position;
      this.#link.acknowledge();
    });
  }
}
