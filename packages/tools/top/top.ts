/** `svc-server top`: figures of a server in a terminal, again and again; without a terminal once. */

import { setTimeout as sleep } from 'node:timers/promises';
import { readSubcommand } from '#config';
import { readPlace } from '../text/server-place.ts';
import { FigureSource, PARTS, type Part, type Reading } from './ask-figures.ts';
import { viewFrame, wholeFrame, type TopState } from './frame.ts';
import { rowsOf, sortable, tableOf } from './tables.ts';
import { Terminal } from './terminal.ts';

/** Time for one reading, in milliseconds. */
const ASK_MS_MAX = 5_000;
/** Intervals between two readings, in milliseconds. */
const INTERVALS = [250, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000] as const;
const INTERVAL_MS = 1_000;
/** Rows of each table without a terminal. */
const ROWS_MAX = 20;

const EXIT_NOT_ASKED = 2;
const ALL: ReadonlySet<Part> = new Set(PARTS);

type Print = (text: string) => void;

/** Runs the subcommand; returns the exit code. */
export async function top(args: readonly string[], print: Print): Promise<number> {
  let source: FigureSource | undefined;
  try {
    const given = readSubcommand('top', args);
    source = new FigureSource(readPlace(given), ASK_MS_MAX);
    if (given.has('json')) return await once(source, print, jsonOf);
    const hasTerminal = process.stdin.isTTY && process.stdout.isTTY;
    if (given.has('once') || !hasTerminal) return await once(source, print, textOf);
    return await new LiveTop(source, await source.read(ALL)).run();
  } catch (error) {
    process.stderr.write(`svc: ${(error as Error).message}\n`);
    return EXIT_NOT_ASKED;
  } finally {
    source?.close();
  }
}

type Write = (address: string, before: Reading, now: Reading) => string;

/** Prints one frame, with rates of one interval. */
async function once(source: FigureSource, print: Print, write: Write): Promise<number> {
  const before = await source.read(ALL);
  await sleep(INTERVAL_MS);
  print(write(source.address, before, await source.read(ALL)));
  return 0;
}

function textOf(address: string, before: Reading, now: Reading): string {
  return wholeFrame(address, before, now, ROWS_MAX).join('\n');
}

function jsonOf(address: string, before: Reading, now: Reading): string {
  const { status, missing } = now;
  const tables = PARTS.map((part) => [part, rowsOf(part, before, now)] as const);
  const document = { address, health: status.health, ...Object.fromEntries(tables), missing };
  // JSON has no infinity, which a latency over the last band is.
  return JSON.stringify(document, (_, value: unknown) => (value === Infinity ? 'over' : value), 2);
}

/** The view in a terminal. */
class LiveTop {
  readonly #source: FigureSource;
  #before: Reading;
  #now: Reading;
  #state: TopState = {
    part: 'shards',
    sorts: new Map(),
    intervalMs: INTERVAL_MS,
    isPaused: false,
    lost: undefined,
  };
  #exitCode: number | undefined;
  /** The figures of the view were not asked for yet. */
  #isViewNew = false;
  /** Ends the wait for the next reading. */
  #wake: AbortController | undefined;

  constructor(source: FigureSource, first: Reading) {
    this.#source = source;
    this.#before = first;
    this.#now = first;
  }

  /** Draws until it is ended by a key or a signal; returns the exit code. */
  async run(): Promise<number> {
    const terminal = new Terminal({
      pressed: (key) => {
        this.#pressed(key);
        this.#draw(terminal);
      },
      resized: () => {
        this.#draw(terminal);
      },
      ended: (code) => {
        this.#end(code);
      },
    });
    try {
      for (;;) {
        this.#draw(terminal);
        await this.#pause();
        if (this.#exitCode !== undefined) return this.#exitCode;
        if (!this.#state.isPaused || this.#isViewNew) await this.#read();
      }
    } finally {
      terminal.close();
    }
  }

  #draw(terminal: Terminal): void {
    if (this.#exitCode !== undefined) return;
    const readings = { before: this.#before, now: this.#now };
    terminal.draw(viewFrame(this.#source.address, readings, this.#state, terminal.rows));
  }

  async #pause(): Promise<void> {
    if (this.#exitCode !== undefined) return;
    this.#wake = new AbortController();
    await sleep(this.#state.intervalMs, undefined, { signal: this.#wake.signal }).catch(
      () => undefined,
    );
  }

  /** Asks for what the view shows; after an error the last figures stay, with the reason. */
  async #read(): Promise<void> {
    this.#isViewNew = false;
    try {
      const now = await this.#source.read(new Set([this.#state.part]));
      this.#before = this.#now;
      this.#now = now;
      this.#state = { ...this.#state, lost: undefined };
    } catch (error) {
      this.#state = { ...this.#state, lost: (error as Error).message };
    }
  }

  #end(code: number): void {
    this.#exitCode ??= code;
    // A reading that is under way need not be waited for.
    this.#source.close();
    this.#wake?.abort();
  }

  #pressed(key: string): void {
    const { part, isPaused } = this.#state;
    const nth = PARTS.indexOf(part);
    if (key === 'q') this.#end(0);
    else if (key === '\t') this.#show(PARTS[(nth + 1) % PARTS.length]!);
    else if (key >= '1' && key <= String(PARTS.length)) this.#show(PARTS[Number(key) - 1]!);
    else if (key === 's') this.#sort();
    else if (key === 'p') this.#state = { ...this.#state, isPaused: !isPaused };
    else if (key === '+') this.#setInterval(1);
    else if (key === '-') this.#setInterval(-1);
  }

  /** Shows another view, whose figures are asked for at once. */
  #show(part: Part): void {
    this.#state = { ...this.#state, part };
    this.#isViewNew = true;
    this.#wake?.abort();
  }

  /** Sorts by the next column that has numbers. */
  #sort(): void {
    const { part, sorts } = this.#state;
    const columns = sortable(part);
    const column = sorts.get(part) ?? tableOf(part, this.#before, this.#now).sort;
    const next = columns[(columns.indexOf(column) + 1) % columns.length]!;
    this.#state = { ...this.#state, sorts: new Map([...sorts, [part, next]]) };
  }

  #setInterval(step: number): void {
    const nth = INTERVALS.findIndex((ms) => ms >= this.#state.intervalMs) + step;
    const intervalMs = INTERVALS[Math.max(0, Math.min(INTERVALS.length - 1, nth))]!;
    this.#state = { ...this.#state, intervalMs };
    this.#wake?.abort();
  }
}
