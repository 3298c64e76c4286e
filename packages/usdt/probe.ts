/**
 * Probes as used by the code: `if (commandStart.isWatched) commandStart.fire(...)`. Built by `npm run build:usdt`, the
 * native library is loaded by every thread; without it no tracer can attach, and the checked word is a constant zero.
 */

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { PROBES, type ProbeName } from './table.ts';

/** Seen from dist/packages/usdt. */
const LIBRARY = fileURLToPath(
  new URL('../../../packages/usdt/native/build/Release/svc_probes.node', import.meta.url),
);

interface Library {
  fire(probe: number, ...args: readonly (string | number)[]): void;
  /** Counts of watchers, by probe. */
  readonly semaphores: readonly Uint16Array[];
}

/** Argument kinds as the compiler knows them. */
type Values<Args extends readonly (readonly [string, 'text' | 'number'])[]> = {
  readonly [Index in keyof Args]: Args[Index][1] extends 'text' ? string : number;
};

type ArgsOf<Name extends ProbeName> = Values<
  Extract<(typeof PROBES)[number], { readonly name: Name }>['args']
>;

const library = loadOrNone();

/** One probe in this thread. */
export class Probe<Name extends ProbeName> {
  readonly #index: number;
  readonly #watchers: Uint16Array;

  constructor(name: Name) {
    this.#index = PROBES.findIndex((probe) => probe.name === name);
    this.#watchers = library?.semaphores[this.#index] ?? new Uint16Array(1);
  }

  /** Somebody watches; else its arguments need not be made. */
  get isWatched(): boolean {
    return this.#watchers[0] !== 0;
  }

  /** Texts have a character for each byte. */
  fire(...args: ArgsOf<Name>): void {
    library?.fire(this.#index, ...(args as readonly (string | number)[]));
  }
}

/** True when probes can be watched at all. */
export const hasProbes = library !== undefined;

function loadOrNone(): Library | undefined {
  try {
    return createRequire(import.meta.url)(LIBRARY) as Library;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw new Error(`${LIBRARY} cannot be loaded; run npm run build:usdt again`, { cause: error });
  }
}
