/** Pending gathers: commands of several shards, by their client's slot and their sequence. */

import { unreachable } from '#base';
import type { Page } from '#stats';
import type { ClientRegistry } from '../clients/client-registry.ts';
import type { Gather } from './gather.ts';
import { SequenceTable } from '../order/sequence-table.ts';

/** Gathers of all clients; a pipeline of many makes chains, which stay short. */
const GATHER_BUCKETS = 1_024;

export class Gathers {
  readonly #clientRegistry: ClientRegistry;
  readonly #page: Page;
  readonly #table = new SequenceTable<Gather>(GATHER_BUCKETS);

  constructor(clientRegistry: ClientRegistry, page: Page) {
    this.#clientRegistry = clientRegistry;
    this.#page = page;
  }

  /** Parts of a command were sent for. */
  begin(gather: Gather): void {
    this.#table.add(gather);
    gather.sinceUs = this.#clientRegistry.nowUs;
    this.#page.add('scatters', 1);
  }

  of(slot: number, sequence: number): Gather {
    const gather = this.#table.find(slot, sequence);
    return gather ?? unreachable('a part answers a gathered command');
  }

  /** Called when all parts have arrived. */
  end(gather: Gather): void {
    this.#table.remove(gather.slot, gather.sequence);
  }
}
