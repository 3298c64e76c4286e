/** Selects the commands of a primary's stream that concern slots migrating here from it. */

import { keySlot, SLOT_COUNT } from '#base';
import { Arguments, type CommandEntry, commandTable, findKeys } from '#commands';
import type { ParsedCommand } from '#resp';
import type { SlotSpan } from '../agreement/documents/documents.ts';

/** They hold a transaction together, which does nothing if it is empty, or select the database of what follows. */
const OF_ALL_SLOTS: ReadonlySet<string> = new Set(['MULTI', 'EXEC', 'DISCARD', 'SELECT']);
/** They take keys away, or exchange them, without naming any. */
const OF_ALL_KEYS: ReadonlySet<string> = new Set(['FLUSHALL', 'FLUSHDB', 'SWAPDB']);

export class SlotFilter {
  readonly #isWanted = new Uint8Array(SLOT_COUNT);
  readonly #args = new Arguments();
  readonly #entries = new Map<string, CommandEntry | undefined>();
  /** Called when something of the source cannot be done for these slots alone. */
  readonly #failed: (reason: string) => void;

  constructor(spans: readonly SlotSpan[], failed: (reason: string) => void) {
    for (const [first, last] of spans) this.#isWanted.fill(1, first, last + 1);
    this.#failed = failed;
  }

  /** True for a command that is to be run here too. */
  accepts({ source, at, spans, count }: ParsedCommand): boolean {
    const args = this.#args;
    args.point(source, at, spans, 0, count);
    const name = args.latin1(0).toUpperCase();
    if (OF_ALL_SLOTS.has(name)) return true;
    if (OF_ALL_KEYS.has(name)) {
      this.#failed(`${name} was run on the source`);
      return false;
    }
    const entry = this.#entryOf(name);
    if (entry === undefined || !entry.isWrite) return false;
    const keys = findKeys(entry.command.keys, args) ?? [];
    const wanted = keys.filter(
      ({ index }) => this.#isWanted[keySlot(args.source, args.at(index), args.length(index))] === 1,
    ).length;
    if (wanted > 0 && wanted < keys.length) {
      this.#failed(`${name} was run on the source with keys of these slots and of others`);
    }
    return wanted > 0 && wanted === keys.length;
  }

  #entryOf(name: string): CommandEntry | undefined {
    if (!this.#entries.has(name)) this.#entries.set(name, commandTable.byName(name));
    return this.#entries.get(name);
  }
}
