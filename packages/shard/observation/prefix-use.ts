/** Use of the keys of each configured prefix by commands, counted on the shard's page. */

import { type Bytes, PrefixMatcher } from '#base';
import { beginPrefixes, type Page, prefixesId, PrefixField } from '#stats';

export class PrefixUse {
  /** Undefined while no prefix is configured. */
  matcher: PrefixMatcher | undefined;
  readonly #page: Page;
  readonly #values: Float64Array;

  constructor(page: Page) {
    this.#page = page;
    this.#values = page.values;
  }

  /** Sets the counted prefixes; returns true if they have changed. */
  configure(prefixes: readonly string[]): boolean {
    const id = prefixesId(prefixes);
    if (id === this.#page.get('prefixesId')) return false;
    this.matcher = id === 0 ? undefined : new PrefixMatcher(prefixes);
    beginPrefixes(this.#page, id);
    return true;
  }

  /** A command that reads has looked a key up. */
  lookedUp(matcher: PrefixMatcher, key: Bytes, at: number, length: number, isHit: boolean): void {
    const row = matcher.match(key, at, length);
    const cell = this.#page.prefixCell(row) + (isHit ? PrefixField.hits : PrefixField.misses);
    this.#values[cell] = this.#values[cell]! + 1;
  }

  /** A command has named a key; the bytes are its share of the request and of the reply. */
  used(row: number, inputBytes: number, outputBytes: number): void {
    const values = this.#values;
    const cell = this.#page.prefixCell(row);
    const input = cell + PrefixField.inputBytes;
    const output = cell + PrefixField.outputBytes;
    values[cell] = values[cell]! + 1;
    values[input] = values[input]! + inputBytes;
    values[output] = values[output]! + outputBytes;
  }
}
