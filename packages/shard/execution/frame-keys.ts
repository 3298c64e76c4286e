/** The keys that frames name: for holds, for watches, and for what must be kept before it changes. */

import { type Bytes, keyName } from '#base';
import {
  type Arguments,
  type CommandEntry,
  commandTable,
  findKeys,
  type KeySpec,
  mayWrite,
  needsValue,
} from '#commands';
import { DATABASE_SHIFT, FrameKind, Request, RequestFlag } from '#link';
import type { ExecutionContext } from './context.ts';
import type { Effects, NamedKey } from './effects.ts';
import type { Frame } from '../frames/frame.ts';
import { framesIn, spansOf } from '../frames/frame-spans.ts';
import { watchPlace, type Watches } from './watches.ts';

/** Receives a key: its database, its argument, whether it may be written, its key spec and its command. */
type KeyVisitor = (
  database: number,
  args: Arguments,
  index: number,
  isWritten: boolean,
  found: { readonly spec: KeySpec; readonly entry: CommandEntry },
) => void;

/** Pointer that sets arguments and context to a frame's command. */
interface Pointer {
  readonly args: Arguments;
  point(frame: Frame, spans?: number): CommandEntry;
  entryOf(frame: Frame): CommandEntry;
}

const WATCH = commandTable.byName('WATCH');

/** The client whose frame it is, by main's number. */
export function slotOf({ words, word }: Frame): number {
  return words[word + Request.connection]!;
}

/** True when a transaction's client watches keys. */
export function isWatching({ words, word }: Frame): boolean {
  return (words[word + Request.kind]! & RequestFlag.watches) !== 0;
}

export class FrameKeys {
  readonly #pointer: Pointer;
  readonly #context: ExecutionContext;
  readonly #watches: Watches;

  constructor(pointer: Pointer, context: ExecutionContext, watches: Watches) {
    this.#pointer = pointer;
    this.#context = context;
    this.#watches = watches;
  }

  /** As `keyName` spells them, those that a transaction's client watches among them; null when it concerns all keys. */
  namesOf(frame: Frame): readonly string[] | null {
    if (this.#isFirstOnly(frame)) {
      const { bytes, words, word } = frame;
      const database = words[word + Request.kind]! >>> DATABASE_SHIFT;
      return [keyName(database, bytes, frame.argumentAt(1), frame.argumentLength(1))];
    }
    const names: string[] = [];
    const hasOwn = this.#visit(frame, (database, args, index) => {
      names.push(keyName(database, args.source, args.at(index), args.length(index)));
    });
    if (!hasOwn) return null;
    const slot = slotOf(frame);
    if (frame.kind === FrameKind.exec) {
      if (isWatching(frame)) {
        for (const name of this.#watches.namesOf(slot)) names.push(name);
        names.push(watchPlace(slot));
      }
    } else if (this.#pointer.entryOf(frame) === WATCH) {
      names.push(watchPlace(slot));
    }
    return names;
  }

  /** True for a plain command whose one key is its first argument. */
  #isFirstOnly(frame: Frame): boolean {
    return frame.kind === FrameKind.command && this.#pointer.entryOf(frame).looksAtFirstOnly;
  }

  /** Calls back for the keys whose values the commands of the frame read. */
  eachNeeded(
    frame: Frame,
    visit: (database: number, key: Bytes, at: number, length: number) => void,
  ): void {
    this.#visit(frame, (database, args, index, _isWritten, { spec, entry }) => {
      if (!needsValue(entry.command, spec, args)) return;
      visit(database, args.source, args.at(index), args.length(index));
    });
  }

  /** Returns the keys that may be written, each once. */
  written(frame: Frame): readonly NamedKey[] {
    const written = new Map<string, NamedKey>();
    this.#visit(frame, (database, args, index, isWritten) => {
      if (!isWritten) return;
      const key = args.copy(index);
      written.set(keyName(database, key), { database, key });
    });
    return [...written.values()];
  }

  /** Has those that may be written kept as they are; then what is pointed at is the frame's command again. */
  preserve(frame: Frame, effects: Effects): void {
    this.#visitOne(frame, spansOf(frame), (database, args, index, isWritten) => {
      if (isWritten) effects.preserve(database, args.source, args.at(index), args.length(index));
    });
    this.#pointer.point(frame);
  }

  #visit(frame: Frame, visit: KeyVisitor): boolean {
    if (frame.kind !== FrameKind.exec) return this.#visitOne(frame, spansOf(frame), visit);
    for (const queued of framesIn(frame)) this.#visitOne(queued, Request.spans, visit);
    return true;
  }

  /** False when the command has no keys of its own: then it concerns all. */
  #visitOne(frame: Frame, spans: number, visit: KeyVisitor): boolean {
    const entry = this.#pointer.point(frame, spans);
    if (!entry.hasKeys) return false;
    const { args } = this.#pointer;
    const { databaseOf, alsoIn, keys } = entry.command;
    const selected = this.#context.database;
    // Arguments without their keys fail in the handler, whose order no longer matters.
    for (const { index, spec } of findKeys(keys, args) ?? []) {
      const nth = keys.specs.indexOf(spec);
      const isWritten = mayWrite(spec);
      const found = { spec, entry };
      visit(databaseOf?.(nth, args, selected) ?? selected, args, index, isWritten, found);
      if (alsoIn !== undefined) visit(alsoIn(args), args, index, isWritten, found);
    }
    return true;
  }
}

/** Points at the arguments that belong to keys of this shard, for a command that several shards do their share of. */
export function pointAtShare(
  args: Arguments,
  { command }: CommandEntry,
  context: ExecutionContext,
): void {
  if (command.route !== 'byKey') return;
  const spans: number[] = [];
  const take = (index: number): void => {
    spans.push(args.at(index), args.length(index));
  };
  take(0);
  for (let index = 1; index < args.count; index += command.keyStride) {
    if (!context.isOwn(args.source, args.at(index), args.length(index))) continue;
    for (let nth = 0; nth < command.keyStride; nth += 1) take(index + nth);
  }
  const own = Int32Array.from(spans);
  args.point(args.source, 0, own, 0, own.length >>> 1, 1);
}
