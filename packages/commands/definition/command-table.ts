/**
 * Finds the command that a client's bytes name.
 *
 * A command's id is its place in the list: every thread builds the same list, so the id can travel
 * in frames and index counters.
 */

import { type Bytes, spells } from '#base';
import type { Command } from './definition.ts';
import { CommandEntry } from './command-entry.ts';

const BUCKETS = 2048;

function bucketOf(bytes: Bytes, at: number, length: number): number {
  const first = bytes[at]! & 0xdf;
  const middle = bytes[at + (length >> 1)]! & 0xdf;
  const last = bytes[at + length - 1]! & 0xdf;
  return (first + middle * 33 + last * 1_021 + length * 377) & (BUCKETS - 1);
}

export class CommandTable {
  /** Entries by id: containers, their subcommands and plain commands. */
  readonly entries: readonly CommandEntry[];
  readonly #buckets: CommandEntry[][] = Array.from({ length: BUCKETS }, () => []);
  readonly #byName = new Map<string, CommandEntry>();
  /** Entry that was found last. */
  #last: CommandEntry;

  constructor(commands: readonly Command[]) {
    const entries: CommandEntry[] = [];
    const add = (command: Command, parent?: CommandEntry): void => {
      const entry = new CommandEntry(command, entries.length, parent);
      entries.push(entry);
      if (parent?.bare !== entry) this.#byName.set(command.name, entry);
      if (parent === undefined) {
        const name = Buffer.from(command.name, 'latin1');
        this.#buckets[bucketOf(name, 0, name.length)]!.push(entry);
      }
      if (command.route !== 'container') return;
      if (command.bare !== undefined) add(command.bare, entry);
      for (const sub of command.subcommands) add(sub, entry);
    };
    for (const command of commands) add(command);
    this.entries = entries;
    this.#last = entries[0]!;
  }

  /** The top-level command a client named, in any case. */
  find(bytes: Bytes, at: number, length: number): CommandEntry | undefined {
    if (length === 0) return undefined;
    // A pipeline often has one command many times.
    if (spells(bytes, at, length, this.#last.name)) return this.#last;
    const bucket = this.#buckets[bucketOf(bytes, at, length)]!;
    for (const entry of bucket) {
      if (!spells(bytes, at, length, entry.name)) continue;
      this.#last = entry;
      return entry;
    }
    return undefined;
  }

  /** Returns the entry of a name as definitions spell it: `CLIENT|LIST`. */
  byName(name: string): CommandEntry | undefined {
    return this.#byName.get(name.toUpperCase());
  }

  /** Commands and containers, without subcommands. */
  get topLevel(): readonly CommandEntry[] {
    return this.entries.filter((entry) => entry.container === undefined);
  }
}
