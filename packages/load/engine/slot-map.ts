/** Nodes of a cluster, and the slots that each has, as far as it is known. Without a cluster there is one node for all. */

import { SLOT_COUNT } from '#base';
import type { ServerPlace } from '#net';

const REDIRECT = /^(MOVED|ASK) (\d+) (?:(.*):)?(\d+)$/;

/** Slots of a node, as plain data: first and last of each range. */
export interface NodeSlots {
  readonly host: string;
  readonly port: number;
  readonly ranges: readonly (readonly [first: number, last: number])[];
}

/** Node that a reply names for a request. */
interface Redirect {
  readonly kind: 'moved' | 'ask';
  readonly node: number;
}

export class SlotMap {
  readonly nodes: ServerPlace[];
  /** True without a cluster: there is one node for all slots. */
  readonly isWhole: boolean;
  readonly #owners = new Int16Array(SLOT_COUNT);
  readonly #seed: ServerPlace;
  #next = 0;

  /** With the place by which the cluster was found, and its nodes; without nodes the place is the only one. */
  constructor(seed: ServerPlace, nodes: readonly NodeSlots[]) {
    this.#seed = seed;
    this.isWhole = nodes.length === 0;
    this.nodes = this.isWhole ? [seed] : nodes.map(({ host, port }) => this.#placeOf(host, port));
    for (const [index, { ranges }] of nodes.entries()) {
      for (const [first, last] of ranges) this.#owners.fill(index, first, last + 1);
    }
  }

  /** Returns the index of the node that has a slot; for slot -1, which is none, of the nodes by turns. */
  ownerOf(slot: number): number {
    if (slot >= 0) return this.#owners[slot]!;
    this.#next = (this.#next + 1) % this.nodes.length;
    return this.#next;
  }

  /** Reads a MOVED or ASK, and remembers the owner that MOVED names; undefined for other errors. */
  redirectOf(error: string): Redirect | undefined {
    const [, word, slot = '0', host = '', port = '0'] = REDIRECT.exec(error) ?? [];
    if (word === undefined || Number(slot) >= SLOT_COUNT) return undefined;
    const node = this.#nodeAt(host, Number(port));
    if (word === 'MOVED') this.#owners[Number(slot)] = node;
    return { kind: word === 'MOVED' ? 'moved' : 'ask', node };
  }

  #nodeAt(host: string, port: number): number {
    const place = this.#placeOf(host, port);
    const known = this.nodes.findIndex((each) => each.host === place.host && each.port === port);
    if (known >= 0) return known;
    this.nodes.push(place);
    return this.nodes.length - 1;
  }

  /** A host may be missing: it is then that of the node that was asked. */
  #placeOf(host: string, port: number): ServerPlace {
    const isGiven = host !== '' && host !== '?';
    return { ...this.#seed, host: isGiven ? host : this.#seed.host, port, unixSocket: '' };
  }
}
