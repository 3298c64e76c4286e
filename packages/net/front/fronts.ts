/** The front threads of a server, as main's listener and turn see them. */

import { closeSync } from 'node:fs';
import type { TlsOptions } from '../tls/tls-options.ts';
import type { FrontHandshake, FrontLink } from './front-link.ts';
import type { FrontTransport } from './front-transport.ts';

interface FrontsOptions {
  /** Sends the TLS options to all front threads; resolves when they are applied, and rejects if they are refused. */
  readonly secure: (options: TlsOptions) => Promise<void>;
}

export class Fronts {
  readonly #options: FrontsOptions;
  /** Empty until the threads run: the doorbell of a thread can be had no earlier. */
  #links: readonly FrontLink[] = [];

  constructor(options: FrontsOptions) {
    this.#options = options;
  }

  /** Takes the links to the threads, which run now. */
  connect(links: readonly FrontLink[]): void {
    this.#links = links;
  }

  /** True when a front thread has sent something, or has room for what waits for it. */
  get hasWork(): boolean {
    return this.#links.some((link) => link.hasWork);
  }

  /** Hands over an accepted connection; if no front thread has a slot, returns undefined and closes it. */
  take(descriptor: number): FrontTransport | undefined {
    if (descriptor < 0) return undefined;
    const transport = this.#leastBusy().open(descriptor);
    if (transport === undefined) closeSync(descriptor);
    return transport;
  }

  /** Adds a socket that starts with a handshake. */
  shake(descriptor: number, handshake: FrontHandshake): void {
    if (descriptor < 0) return;
    if (!this.#leastBusy().secure(descriptor, handshake)) closeSync(descriptor);
  }

  async secure(options: TlsOptions): Promise<void> {
    await this.#options.secure(options);
  }

  /** Takes all that front threads have sent. */
  drain(): void {
    for (const link of this.#links) link.drain();
  }

  /** Publishes the sent frames to the front threads. */
  publish(): void {
    for (const link of this.#links) link.publish();
  }

  #leastBusy(): FrontLink {
    return this.#links.reduce((least, each) => (each.count < least.count ? each : least));
  }
}
