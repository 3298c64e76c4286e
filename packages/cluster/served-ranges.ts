/** Sends the served slots to the shards when they change: scripts use keys that main does not see. */

import { SLOT_COUNT } from '#base';
import type { Settings } from '#config';
import type { ServedRanges } from '#link';
import type { Router } from '#router';
import type { ClusterGate } from './gate/cluster-gate.ts';
import { SlotCode, type SlotTable } from './slots/slot-table.ts';

type Kind = 'own' | 'replicated' | 'unbound' | undefined;

interface ServedRangesOptions {
  readonly table: SlotTable;
  readonly gate: Pick<ClusterGate, 'refused'>;
  readonly router: Pick<Router, 'broadcast'>;
  readonly settings: Settings;
}

export class ServedSlotsPublisher {
  readonly #options: ServedRangesOptions;
  #published = '';
  #refused: ServedRanges['refused'] | undefined;

  constructor(options: ServedRangesOptions) {
    this.#options = options;
    for (const name of ['cluster.require-full-coverage', 'cluster.allow-reads-when-down'] as const)
      options.settings.onChange(name, () => {
        this.publish();
      });
  }

  /** Sends the served slots to the shards, if they have changed since the last call. */
  publish(): void {
    const { table, gate, router } = this.#options;
    const { refused } = gate;
    const served = { ...rangesOf(table), refused };
    const published = JSON.stringify(served);
    if (published === this.#published) return;
    this.#published = published;
    this.#refused = refused;
    router.broadcast({ kind: 'served-slots', served });
  }

  /** Sends changes that are only caused by the passing of time. */
  look(): void {
    if (this.#options.gate.refused !== this.#refused) this.publish();
  }
}

/** Groups the slots of a table by their relation to this node. */
function rangesOf(table: SlotTable): Omit<ServedRanges, 'refused'> {
  const ranges = {
    own: [] as [number, number][],
    replicated: [] as [number, number][],
    unbound: [] as [number, number][],
  };
  let before: Kind;
  for (let slot = 0; slot < SLOT_COUNT; slot += 1) {
    const kind = kindOf(table, table.codes[slot]!);
    if (kind !== undefined && kind === before) ranges[kind].at(-1)![1] = slot;
    else if (kind !== undefined) ranges[kind].push([slot, slot]);
    before = kind;
  }
  return ranges;
}

function kindOf(table: SlotTable, code: number): Kind {
  if (code === SlotCode.own) return 'own';
  const place = table.placeOf(code);
  if (place === undefined) return 'unbound';
  return place.group === table.ownGroup ? 'replicated' : undefined;
}
