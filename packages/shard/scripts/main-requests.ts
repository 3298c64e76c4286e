/**
 * Requests of a running script to main. The shard is stopped meanwhile, except for work of the script and work that had
 * started before: frames that come in are deferred until the script has ended.
 */

import { asBuffer, type Bytes, unreachable } from '#base';
import { FrameKind, ScriptRequest, type ScriptControl } from '#link';
import type { Frame } from '../frames/frame.ts';
import type { ReplySender } from '../frames/reply-sender.ts';
import type { Effects } from '../execution/effects.ts';
import type { KeyLocks } from '../multi-shard/key-locks.ts';

/** Longest sleep before the shard looks again, in milliseconds; main wakes it earlier. */
const SLEEP_MS = 100;
const NOTHING: Bytes = new Uint8Array(0);

interface MainRequestsOptions {
  readonly control: ScriptControl;
  /** Position in the ring after the current frame. */
  placeBehind(): number;
  readonly sender: ReplySender;
  readonly effects: Effects;
  readonly keyLocks: KeyLocks;
  /** Takes the frames that are there and does timed work that holds keys; false when there was nothing to do. */
  work(): boolean;
  /** Sleeps until a frame comes or other work is due, for at most `ms` milliseconds. */
  sleep(ms: number, isDue: () => boolean): void;
}

export class MainRequests {
  readonly #options: MainRequestsOptions;
  /** Replies of main that are not taken yet. */
  readonly #answers: Bytes[] = [];
  /** True when frames that come in are put aside because of the current script. */
  #hasStopped = false;
  /** True when the script has opened a group in the log. */
  #hasGroup = false;
  #transaction: number | undefined;

  constructor(options: MainRequestsOptions) {
    this.#options = options;
  }

  /** Sends a request to main, and waits for the answer. */
  request(what: number, body: Bytes): Bytes {
    const { sender } = this.#options;
    return this.deferred(() => {
      this.#answers.length = 0;
      sender.give(FrameKind.ask, -1, what, Uint8Array.from(body));
      this.until(() => this.#answers.length > 0);
      return this.#answers.pop() ?? unreachable('main has answered');
    });
  }

  /** Waits for the end of what the script has done on other shards, and has main end it in all logs if it is to. */
  finish(endsInLogs: boolean): void {
    const { keyLocks, effects } = this.#options;
    // Keys lent for the script must be returned first.
    this.wait(() => !keyLocks.isUnderWay);
    // Without a log or replicas there is nothing to end.
    if (!endsInLogs || !effects.isKept) return;
    this.#transaction = asBuffer(this.request(ScriptRequest.prepare, NOTHING)).readUInt32LE(0);
  }

  /** Number of the transaction that `finish` has ended elsewhere, which is to be ended here too. */
  takeTransaction(): number | undefined {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    return transaction;
  }

  /** Notifies main, which sends no answer. */
  notify(what: number, body: Bytes = NOTHING): void {
    const { sender } = this.#options;
    const suspended = sender.suspend();
    sender.give(FrameKind.ask, -1, what, Uint8Array.from(body));
    sender.goOn(suspended);
  }

  /** Notifies main after the replies that are ended. */
  notifyAfterReplies(what: number): void {
    this.#options.sender.give(FrameKind.ask, -1, what, Uint8Array.from(NOTHING));
  }

  /** Waits until something holds that others bring about. */
  wait(isDone: () => boolean): void {
    if (isDone()) return;
    this.deferred(() => {
      this.until(isDone);
    });
  }

  /** Takes main's answer. */
  take(frame: Frame): void {
    this.#answers.push(frame.body);
  }

  /** The script has ended: frames that were put aside may run, and its group in the log is whole. */
  end(): void {
    const { effects, keyLocks } = this.#options;
    if (this.#hasGroup) effects.endGroup();
    this.#hasGroup = false;
    if (!this.#hasStopped) return;
    this.#hasStopped = false;
    keyLocks.resume();
  }

  /** Does something while the reply and the effects of the script are put aside. */
  deferred<Result>(act: () => Result): Result {
    const { sender, effects, keyLocks } = this.#options;
    if (!keyLocks.isStopped) {
      keyLocks.stopNewcomers();
      this.#hasStopped = true;
    }
    if (!effects.isInGroup) {
      effects.beginGroup();
      this.#hasGroup = true;
    }
    effects.flushCalled();
    const suspended = sender.suspend();
    const group = effects.leaveGroup();
    const { control } = this.#options;
    const wasInside = control.leave();
    const result = act();
    if (wasInside) control.enter(this.#options.placeBehind());
    effects.goOn(group);
    sender.goOn(suspended);
    effects.begin();
    return result;
  }

  /** Waits, while the script is put aside, until something holds that others bring about. */
  until(isDone: () => boolean): void {
    const { sender } = this.#options;
    sender.flush();
    while (!isDone()) {
      if (this.#options.work()) sender.flush();
      else this.#options.sleep(SLEEP_MS, isDone);
    }
  }
}
