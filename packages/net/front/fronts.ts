/** The front threads of a server, as main's listener and turn see them. */

import { closeSync } from 'node:fs';
import type { Socket } from 'node:net';
import { descriptorOf } from '../raw-handle.ts';
import type { TlsOptions } from '../tls/tls-options.ts';
import type { FrontHandshake, FrontLink } from './front-link.ts';
import type { FrontTransport } from './front-transport.ts';

interface FrontsOptions {
  readonly links: readonly FrontLink[];
  /** Duplicates a file descriptor; -1 where that cannot be done. */
  readonly duplicate: (descriptor: number) => number;
  /** Gives all front threads the options of TLS; settles when they have them, and rejects where they are refused. */
  readonly secure: (options: TlsOptions) => Promise<void>;
}

export class Fronts {
  readonly #options: FrontsOptions;

  constructor(options: FrontsOptions) {
    this.#options = options;
  }

  /** True when a front thread has sent something, or has room for what waits for it. */
  get hasWork(): boolean {
    return this.#options.links.some((link) => link.hasWork);
  }

  /** Hands a socket just accepted over; undefined where no front thread can have it, and then it is closed. */
  take(socket: Socket): FrontTransport | undefined {
    const descriptor = this.#descriptorOf(socket);
    if (descriptor < 0) return undefined;
    const transport = this.#leastBusy().open(descriptor);
    if (transport === undefined) closeSync(descriptor);
    return transport;
  }

  /** The same for one that begins with a handshake. */
  shake(socket: Socket, handshake: FrontHandshake): void {
    const descriptor = this.#descriptorOf(socket);
    if (descriptor < 0) return;
    if (!this.#leastBusy().secure(descriptor, handshake)) closeSync(descriptor);
  }

  async secure(options: TlsOptions): Promise<void> {
    await this.#options.secure(options);
  }

  /** Takes all that front threads have sent. */
  drain(): void {
    for (const link of this.#options.links) link.drain();
  }

  /** Lets front threads see what was sent. */
  publish(): void {
    for (const link of this.#options.links) link.publish();
  }

  /** A descriptor of the front thread's own: main closes the one that it has accepted. */
  #descriptorOf(socket: Socket): number {
    const accepted = descriptorOf(socket);
    const descriptor = accepted < 0 ? -1 : this.#options.duplicate(accepted);
    socket.destroy();
    return descriptor;
  }

  #leastBusy(): FrontLink {
    return this.#options.links.reduce((least, each) => (each.count < least.count ? each : least));
  }
}
