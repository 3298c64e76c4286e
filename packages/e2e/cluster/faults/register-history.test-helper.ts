/**
 * Registers under writes and reads: the guarantees of replication and leases for them. Replication is asynchronous: a
 * write that no replica has confirmed may be seen, and be lost with its primary. So operations are of two kinds.
 * Confirmed ones, a write followed by WAIT, a read with a write after it in one transaction and WAIT, must be
 * linearizable, together with writes of unknown outcome: each of these happens at any time after it was sent, or never.
 * Such a write is left out if no confirmed read has seen it. All other reads are checked less strictly: a value that a
 * confirmed write has replaced before the read started is not seen any more, since a superseded primary must not serve
 * reads; and values that were refused, or never written, are never seen.
 */

import { linearize, type Operation } from '#testkit';
import type { Outcome } from './set-history.test-helper.ts';

interface Span {
  /** Client whose operations follow one another. */
  readonly client: string;
  readonly calledAt: number;
  readonly returnedAt: number;
}

interface RegisterWrite extends Span {
  /** No other write has it. */
  readonly value: string;
  readonly outcome: Outcome;
}

interface RegisterRead extends Span {
  /** Empty for none. */
  readonly value: string;
  readonly isConfirmed: boolean;
}

/** Maximum number of operations printed if no order is found. */
const SHOWN_MAX = 12;

export class RegisterHistory {
  readonly #writes = new Map<string, RegisterWrite>();
  readonly #reads: RegisterRead[] = [];

  wrote(write: RegisterWrite): void {
    this.#writes.set(write.value, write);
  }

  read(read: RegisterRead): void {
    this.#reads.push(read);
  }

  get confirmedCount(): number {
    const reads = this.#reads.filter(({ isConfirmed }) => isConfirmed).length;
    return reads + this.#confirmedWrites.length;
  }

  get #confirmedWrites(): RegisterWrite[] {
    return [...this.#writes.values()].filter(({ outcome }) => outcome === 'confirmed');
  }

  /** Returns what no register that keeps the promises can have answered. */
  faults(key: string): string[] {
    const faults = [...this.#unwritten(), ...this.#stale()];
    // A search for an order of values that were never written finds none, and is less informative.
    if (faults.length === 0) faults.push(...this.#disorder());
    return faults.map((fault) => `${key}: ${fault}`);
  }

  *#unwritten(): Generator<string> {
    for (const { value } of this.#reads) {
      if (value === '') continue;
      const outcome = this.#writes.get(value)?.outcome;
      if (outcome === undefined) yield `${value} was read, and written by nobody`;
      if (outcome === 'refused') yield `${value} was read, and had been refused`;
    }
  }

  /** Reads of values that were replaced for good before they began. */
  *#stale(): Generator<string> {
    const replacing = this.#confirmedWrites.toSorted((a, b) => a.returnedAt - b.returnedAt);
    /** The write that was sent last among those that were confirmed before the read. */
    let latest: RegisterWrite | undefined;
    for (const read of this.#reads.toSorted((a, b) => a.calledAt - b.calledAt)) {
      while (replacing[0] !== undefined && replacing[0].returnedAt < read.calledAt) {
        const [write] = replacing.splice(0, 1) as [RegisterWrite];
        if (latest === undefined || write.calledAt > latest.calledAt) latest = write;
      }
      if (latest === undefined || this.#writtenBy(read) >= latest.calledAt) continue;
      const seen = read.value || 'nothing';
      yield `${seen} was read by ${read.client}, though ${latest.value} had replaced it`;
    }
  }

  /** Time by which the value of a read was written; a write of which nothing is known may happen as late as it likes. */
  #writtenBy({ value }: RegisterRead): number {
    if (value === '') return -Infinity;
    const write = this.#writes.get(value);
    return write?.outcome === 'confirmed' ? write.returnedAt : Infinity;
  }

  #disorder(): string[] {
    const reads = this.#reads.filter(({ isConfirmed }) => isConfirmed);
    const clients = new Map<string, Operation<string>[]>();
    const add = (client: string, operation: Operation<string>): void => {
      const operations = clients.get(client) ?? [];
      clients.set(client, operations);
      operations.push(operation);
    };
    for (const write of this.#confirmedWrites) add(write.client, writing(write));
    for (const read of reads) add(read.client, reading(read));
    for (const write of this.#writes.values()) {
      if (write.outcome !== 'perhaps') continue;
      const seen = reads.filter(({ value }) => value === write.value);
      if (seen.length === 0) continue;
      // It has happened before the first reader had its reply.
      const returnedAt = Math.min(...seen.map((read) => read.returnedAt));
      add(`perhaps ${write.value}`, writing({ ...write, returnedAt }));
    }
    const sequences = [...clients.values()].map((operations) =>
      operations.toSorted((a, b) => a.calledAt - b.calledAt),
    );
    const { isLinearizable, longest } = linearize(sequences, '', (state) => state);
    if (isLinearizable) return [];
    const placed = new Set(longest);
    const left = sequences.flat().filter(({ text }) => !placed.has(text));
    left.sort((a, b) => a.calledAt - b.calledAt);
    const reported = left.slice(0, SHOWN_MAX).map(({ text }) => text);
    return [
      `no order: ${longest.slice(-SHOWN_MAX).join('; ')} | then none of: ${reported.join('; ')}`,
    ];
  }
}

function writing({
  client,
  value,
  calledAt,
  returnedAt,
  outcome,
}: RegisterWrite): Operation<string> {
  const span = spanText(calledAt, returnedAt);
  return {
    text: `${client} writes ${value} (${outcome}) ${span}`,
    calledAt,
    returnedAt,
    apply: () => value,
  };
}

function reading({ client, value, calledAt, returnedAt }: RegisterRead): Operation<string> {
  return {
    text: `${client} reads ${value || 'nothing'} ${spanText(calledAt, returnedAt)}`,
    calledAt,
    returnedAt,
    apply: (state) => (state === value ? state : undefined),
  };
}

function spanText(calledAt: number, returnedAt: number): string {
  return `${calledAt.toFixed(1)}..${returnedAt.toFixed(1)}`;
}
