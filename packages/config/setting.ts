import type { Kind, Value } from './kinds.ts';

/** Effect of a change: `live` while running, `start` at the next start. */
type Effect = 'live' | 'start';

/** One row of the table of settings, whose key is `section.key`. */
export interface Setting<V extends Value = Value> {
  readonly kind: Kind<V>;
  readonly default: V;
  readonly effect: Effect;
  /** Meaning of the setting, for operators. */
  readonly meaning: string;
  /** The name CONFIG knows it by, where that is not `section-key`. */
  readonly config?: string;
  /** Older names that CONFIG knows too. */
  readonly aliases?: readonly string[];
  /** A folder, which CONFIG GET shows with all that is above it. */
  readonly isFolder?: boolean;
  /** Shown nowhere but in CONFIG GET. */
  readonly isSecret?: boolean;
  /** A secret that CONFIG GET does not show either, since it opens more than commands do. */
  readonly isMasked?: boolean;
  /** Shown by CONFIG GET only when asked for by its exact name. */
  readonly isHidden?: boolean;
  /** True when CONFIG shows the setting only as a part of another name. */
  readonly isPart?: boolean;
}

/** A part of the table: keeps the exact names and kinds for the compiler. */
export function rows<const Rows extends Readonly<Record<string, Setting>>>(table: Rows): Rows {
  return table;
}
