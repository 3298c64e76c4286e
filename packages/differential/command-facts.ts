/** Facts of two servers about their commands: of those that only one has, or has otherwise, users' rights are not compared. */
import { shown, type Piece } from './wire.ts';

/** Places in an entry of COMMAND's reply. */
const NAME = 0;
const ARITY = 1;
const CATEGORIES = 6;
const KEY_SPECS = 8;
const SUBCOMMANDS = 9;

export class CommandDetails {
  /** Facts by the command's name, with `|` for a subcommand. */
  readonly #theirs: ReadonlyMap<string, string>;
  readonly #ours: ReadonlyMap<string, string>;

  /** Takes the replies to COMMAND. */
  constructor(ours: Piece, theirs: Piece) {
    this.#ours = detailsOf(ours);
    this.#theirs = detailsOf(theirs);
  }

  /** True when the Redis does not have the command. */
  lacks(name: string): boolean {
    return !this.#theirs.has(name.toLowerCase());
  }

  /** True when both have the command, with the same keys and categories. */
  agreeOn(name: string): boolean {
    const lower = name.toLowerCase();
    const details = this.#theirs.get(lower);
    return details !== undefined && details === this.#ours.get(lower);
  }

  /** The command of words, of a container the subcommand. */
  nameOf([name = '', part]: readonly string[]): string {
    const whole = `${name}|${part ?? ''}`.toLowerCase();
    return this.#theirs.has(whole) || this.#ours.has(whole) ? whole : name.toLowerCase();
  }
}

function detailsOf({ items }: Piece, details = new Map<string, string>()): Map<string, string> {
  for (const { items: fields = [] } of items ?? []) {
    const reported = [ARITY, CATEGORIES].map((at) => unordered(fields[at]));
    reported.push(unordered(withoutNotes(fields[KEY_SPECS])));
    details.set(fields[NAME]?.text ?? '', reported.join(' '));
    const subcommands = fields[SUBCOMMANDS];
    if (subcommands !== undefined) detailsOf(subcommands, details);
  }
  return details;
}

/** Key specs without their notes, which are in each server's own words. */
function withoutNotes(specs: Piece | undefined): Piece | undefined {
  if (specs?.items === undefined) return specs;
  const items = specs.items.map((spec) => {
    const fields = spec.items ?? [];
    const isNote = (index: number): boolean => fields[index]?.text === 'notes';
    return { ...spec, items: fields.filter((_, index) => !isNote(index) && !isNote(index - 1)) };
  });
  return { ...specs, items };
}

/** A piece as a text in which the order of items does not show. */
function unordered(piece: Piece | undefined): string {
  if (piece?.items === undefined) return piece === undefined ? '' : shown(piece);
  return `[${piece.items.map(unordered).sort().join(' ')}]`;
}
