/** Deliveries of a group as they are replicated: consumer, time and delivery count of each entry. */

import type { Bytes } from '#base';
import type { StreamGroup, StreamId } from '#store';
import type { ShardContext } from '../../contexts/contexts.ts';
import { counterText, idText } from '../entries/ids.ts';

export class Deliveries {
  readonly #context: ShardContext;
  readonly #key: Bytes;
  readonly #name: Bytes;
  readonly #consumer: Bytes;
  readonly #group: StreamGroup;

  constructor(
    context: ShardContext,
    {
      key,
      name,
      consumer,
      group,
    }: { key: Bytes; name: Bytes; consumer: Bytes; group: StreamGroup },
  ) {
    this.#context = context;
    this.#key = key;
    this.#name = name;
    this.#consumer = consumer;
    this.#group = group;
  }

  /** The consumer is new. */
  created(): void {
    this.#log('XGROUP', 'CREATECONSUMER', this.#key, this.#name, this.#consumer);
  }

  /** Replicates entries of the consumer, with the time and the count of their delivery. Replicas drop deleted entries. */
  claimed(ids: readonly Bytes[], deliveredMs: number, deliveries: number): void {
    if (ids.length === 0) return;
    this.#log(
      ...['XCLAIM', this.#key, this.#name, this.#consumer, '0', ...ids],
      ...['TIME', String(deliveredMs), 'RETRYCOUNT', counterText(deliveries), 'FORCE', 'JUSTID'],
      ...['LASTID', idText(this.#group.lastId)],
    );
  }

  /** The group has read up to its last id. */
  advanced(): void {
    const { lastId, entriesRead } = this.#group;
    const id = idText(lastId);
    this.#log('XGROUP', 'SETID', this.#key, this.#name, id, 'ENTRIESREAD', String(entriesRead));
  }

  #log(...words: (string | Bytes)[]): void {
    this.#context.logAs(words);
  }
}

/** Ids that are claimed with the same number of deliveries, in rows: one command for each row. */
export class ClaimRows {
  readonly #rows: { readonly ids: Bytes[]; readonly deliveredMs: number; deliveries: number }[] =
    [];

  add(id: StreamId, deliveredMs: number, deliveries: number): void {
    const last = this.#rows.at(-1);
    if (last?.deliveries === deliveries && last.deliveredMs === deliveredMs) {
      last.ids.push(idText(id));
      return;
    }
    this.#rows.push({ ids: [idText(id)], deliveredMs, deliveries });
  }

  report(deliveries: Deliveries): void {
    for (const row of this.#rows) deliveries.claimed(row.ids, row.deliveredMs, row.deliveries);
  }
}
