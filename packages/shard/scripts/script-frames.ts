/** Frames whose commands run scripts: they are detached from the ring first, since others may be taken while they run. */

import { copyBytes } from '#base';
import { FrameKind, Request, RequestFlag, ScriptRequest } from '#link';
import { Frame } from '../frames/frame.ts';
import { isExclusive, type Lending } from '../lending/lending.ts';
import type { MainRequests } from './main-requests.ts';

/** Longer frames get their own memory. */
const SHADOW_BYTES = 4_096;

export class ScriptFrames {
  readonly #shadow: Frame;
  readonly #mainRequests: MainRequests;
  readonly #lending: Lending;

  readonly #linkWords: Int32Array;

  constructor(mainRequests: MainRequests, lending: Lending, linkWords: Int32Array) {
    this.#linkWords = linkWords;
    const bytes = new Uint8Array(SHADOW_BYTES);
    this.#shadow = new Frame(bytes, new Int32Array(bytes.buffer), 0);
    this.#mainRequests = mainRequests;
    this.#lending = lending;
  }

  /** Calls `run` with a copy of a frame. */
  run(frame: Frame, run: (detached: Frame) => void): void {
    const detached = frame.words === this.#linkWords ? this.#shadowOf(frame) : frame;
    if (!isExclusive(frame)) {
      run(detached);
      this.#mainRequests.end();
      return;
    }
    this.#lending.beginExclusive();
    run(detached);
    this.#lending.endExclusive(this.#mainRequests.takeTransaction());
    this.#mainRequests.notifyAfterReplies(ScriptRequest.end);
    this.#lending.goOn();
  }

  /** Begins a transaction, in which commands may run scripts. */
  beginTransaction(frame: Frame): void {
    const { hosting } = this.#lending;
    if (!hasScripts(frame)) {
      hosting.beginTransaction(frame);
      return;
    }
    this.run(frame, (detached) => {
      hosting.beginTransaction(detached);
    });
  }

  /** Copies a frame into memory that is used again for the next: one script runs at a time. */
  #shadowOf(frame: Frame): Frame {
    const { byteCount, bytes, word } = frame;
    if (byteCount > SHADOW_BYTES) {
      const copy = frame.detached();
      copy.place = word;
      return copy;
    }
    copyBytes(bytes, word << 2, this.#shadow.bytes, 0, byteCount);
    this.#shadow.place = word;
    return this.#shadow;
  }
}

/** True when a transaction's frame has commands that run scripts. */
function hasScripts(frame: Frame): boolean {
  const flags = frame.words[frame.word + Request.kind]!;
  return frame.kind === FrameKind.exec && (flags & RequestFlag.scripts) !== 0;
}
