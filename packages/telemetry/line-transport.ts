/**
 * Standard output or error as a transport of winston. Winston's own console transport writes to `process.stdout`, which
 * in a worker thread hands its text to the main thread, and neither bounds what waits for the reader nor reports it.
 */

import type winston from 'winston';
import { LineOutput } from './line-output.ts';
import { lineOf } from './log-format.ts';
import { Transport } from './transport.ts';

export class LineTransport extends Transport {
  readonly #output: LineOutput;

  constructor(descriptor: number, options: winston.transport.TransportStreamOptions) {
    super(options);
    this.#output = new LineOutput(descriptor);
  }

  /** Takes a line, or drops it when too many wait for the reader: winston never has to hold lines back. */
  override log(info: object, next: () => void): void {
    this.#output.write(lineOf(info));
    next();
  }

  /** Returns the number of lines dropped since the last call, once there is room for more; 0 before. */
  takeDropped(): number {
    return this.#output.hasRoom ? this.#output.takeDropped() : 0;
  }

  /** Settles when everything taken so far is written, or cannot be. */
  flush(): Promise<void> {
    return this.#output.flush();
  }
}
