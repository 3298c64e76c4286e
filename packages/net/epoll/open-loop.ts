/** Opens the loop of a thread: epoll where the machine has it, else libuv's. */

import { CLOSE_ON_EXEC, loadFutex, loadLibuvLoop, loadSystemCalls, NOT_BLOCKING } from '#base';
import type { Doorbell } from '#link';
import type { Page } from '#stats';
import { EpollLoop, tickRunner, type EpollParts } from './epoll-loop.ts';
import { LibuvLoop } from './libuv-loop.ts';
import type { ThreadLoop } from './thread-loop.ts';

/** Loads what an `EpollLoop` of this thread is made of; rejects with the reason where the machine or this Node lacks it. */
export async function loadEpoll(): Promise<EpollParts> {
  const runTicks = tickRunner();
  if (runTicks === undefined) throw new Error('this Node does not export how ticks are run');
  const [calls, libuv, futex] = await Promise.all([
    loadSystemCalls(),
    loadLibuvLoop(),
    loadFutex(),
  ]);
  const set = calls.epoll_create1(CLOSE_ON_EXEC);
  const bell = set < 0 ? -1 : calls.eventfd(0, NOT_BLOCKING | CLOSE_ON_EXEC);
  if (bell < 0)
    throw new Error(`the kernel refuses epoll or eventfd (errno ${String(calls.errno())})`);
  calls.close(set);
  return { calls, libuv, runTicks, futex, bell };
}

/**
 * Opens the loop, and has the bell of the thread ring there. To be called before another thread uses the bell. The loop
 * publishes its sleep on `page`, where it can.
 */
export function openLoop(bell: Doorbell, parts: EpollParts | undefined, page: Page): ThreadLoop {
  if (parts === undefined) return new LibuvLoop(bell);
  bell.descriptor = parts.bell;
  return new EpollLoop(parts, page);
}
