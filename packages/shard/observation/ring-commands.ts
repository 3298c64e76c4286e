/**
 * Commands as they lie in the request ring, for the slow log. They stay there as long as the ring's writer leaves them
 * alone; only those that are still wanted then are copied.
 */

import { Arguments } from '#commands';
import {
  DATABASE_SHIFT,
  FrameKind,
  KIND_MASK,
  type LinkMemory,
  Request,
  type RingReader,
} from '#link';
import type { RawCommand, RawCommands, SlowClient } from '#stats';
import type { Frame } from '../frames/frame.ts';

export class RingCommands implements RawCommands {
  readonly #memory: LinkMemory;
  readonly #requests: RingReader;
  readonly #clientIn: (slot: number) => SlowClient;
  readonly #command: RawCommand = {
    place: 0,
    position: 0,
    count: 0,
    database: 0,
    client: { id: 0, address: '', name: '', user: '' },
  };

  constructor(memory: LinkMemory, requests: RingReader, clientIn: (slot: number) => SlowClient) {
    this.#memory = memory;
    this.#requests = requests;
    this.#clientIn = clientIn;
  }

  /** True for a command whose frame stays in the ring until the end of the batch, and perhaps for longer. */
  has({ words, word }: Frame): boolean {
    // A deferred frame, or one that came by message, is not in the link memory; one in the ring may be overwritten
    // soon.
    return (
      words === this.#memory.words &&
      (words[word + Request.kind]! & KIND_MASK) === FrameKind.command &&
      this.#requests.isInFrame(word << 2)
    );
  }

  /** The command of a frame of this batch, by the frame's first word; one object serves for all. */
  commandAt(place: number): RawCommand {
    const { words } = this.#memory;
    const command = this.#command;
    command.place = place;
    command.position = this.#requests.positionOf(place << 2) | 0;
    command.count = words[place + Request.argumentCount]!;
    command.database = words[place + Request.kind]! >>> DATABASE_SHIFT;
    command.client = this.#clientIn(words[place + Request.connection]!);
    return command;
  }

  isGoing(position: number): boolean {
    return this.#requests.passedSince(position) > this.#requests.keptBytes;
  }

  argumentsAt(place: number, count: number): Arguments {
    const { bytes, words } = this.#memory;
    const spans = place + Request.spans;
    const args = new Arguments();
    args.point(bytes, (spans + 2 * count) << 2, words, spans, count);
    return args;
  }
}
