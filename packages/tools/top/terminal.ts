/**
 * The terminal that `svc-server top` draws on: keys come one by one, and frames are drawn on the other screen, so that
 * the earlier content of the terminal returns at each end of the process.
 */

const OTHER_SCREEN = '\u001b[?1049h\u001b[?25l';
const OWN_SCREEN = '\u001b[?25h\u001b[?1049l';
const TOP_LEFT = '\u001b[H';
const REST_OF_LINE = '\u001b[K';
const REST_OF_SCREEN = '\u001b[J';
/** Arrows and function keys. */
const ESCAPE_SEQUENCE = /\u001b(?:\[[0-9;]*[A-Za-z~]|O.)?/g;
const CTRL_C = '\u0003';
const SIGNALS = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;
/** Size of a terminal that does not report one. */
const ROWS = 24;
const COLUMNS = 80;
/** Exit code of a process that a signal has ended, as shells report it. */
const SIGNAL_EXIT = 128;

interface TerminalEvents {
  /** A key was pressed. */
  readonly pressed: (key: string) => void;
  readonly resized: () => void;
  /** The process is to end with that exit code. */
  readonly ended: (code: number) => void;
}

export class Terminal {
  readonly #events: TerminalEvents;
  readonly #restore = (): void => {
    this.close();
  };
  readonly #keys = (text: string): void => {
    for (const key of text.replaceAll(ESCAPE_SEQUENCE, '')) {
      if (key === CTRL_C) this.#events.ended(SIGNAL_EXIT + SIGNALS.SIGINT);
      else this.#events.pressed(key);
    }
  };
  readonly #stops = Object.entries(SIGNALS).map(([name, number]) => {
    const stop = (): void => {
      this.#events.ended(SIGNAL_EXIT + number);
    };
    return [name, stop] as const;
  });
  #isOpen = true;

  constructor(events: TerminalEvents) {
    this.#events = events;
    const { stdin, stdout } = process;
    // Also when an error ends the process.
    process.on('exit', this.#restore);
    for (const [name, stop] of this.#stops) process.on(name, stop);
    stdin.setRawMode(true);
    stdin.setEncoding('utf8').on('data', this.#keys).resume();
    stdout.on('resize', events.resized);
    stdout.write(OTHER_SCREEN);
  }

  get rows(): number {
    return process.stdout.rows || ROWS;
  }

  /** Draws lines from the top, cut at the width of the terminal. */
  draw(lines: readonly string[]): void {
    const columns = process.stdout.columns || COLUMNS;
    const text = lines.map((line) => `${line.slice(0, columns)}${REST_OF_LINE}`).join('\r\n');
    process.stdout.write(`${TOP_LEFT}${text}${REST_OF_SCREEN}`);
  }

  /** Gives the terminal back as it was. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const { stdin, stdout } = process;
    stdout.write(OWN_SCREEN);
    stdin.setRawMode(false);
    stdin.off('data', this.#keys).pause();
    stdout.off('resize', this.#events.resized);
    for (const [name, stop] of this.#stops) process.off(name, stop);
    process.off('exit', this.#restore);
  }
}
