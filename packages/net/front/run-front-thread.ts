/** Runs a front thread in its worker: its page, its vitals, and messages of main. */

import type { MessagePort } from 'node:worker_threads';
import { unreachable } from '#base';
import {
  bellToRing,
  Doorbell,
  EventRing,
  layoutOf,
  LinkMemory,
  type LinkShape,
  type SharedMemory,
} from '#link';
import { flightRecorder, LoopVitals, Page, THREAD_SHAPE } from '#stats';
import type { TlsOptions } from '../tls/tls-options.ts';
import { loadEpoll, openLoop } from '../epoll/open-loop.ts';
import { FrontThread } from './front-thread.ts';

/** Data that the thread is started with. */
export interface FrontThreadData {
  readonly index: number;
  readonly link: LinkShape;
  readonly memory: WebAssembly.Memory;
  readonly page: SharedMemory;
  readonly recorder: SharedMemory;
  readonly tls: TlsOptions | undefined;
  readonly usesEpoll: boolean;
}

/** Message from main: other options of TLS. It is answered by a `FrontAnswer`. */
interface FrontOrder {
  readonly tls: TlsOptions;
}

/** Message to main: the thread is running, a request is done, or why it failed. */
export type FrontAnswer =
  | { readonly kind: 'up' }
  | { readonly kind: 'secured' }
  | { readonly kind: 'failed'; readonly message: string };

export async function runFrontThread(data: FrontThreadData, port: MessagePort): Promise<void> {
  const page = new Page(THREAD_SHAPE, data.page);
  const { tls } = data;
  const memory = new LinkMemory(data.memory);
  const layout = layoutOf(data.link);
  const places = layout.fronts[data.index] ?? unreachable('a front thread has its places');
  const bell = new Doorbell(memory, places.bell);
  const loop = openLoop(bell, data.usesEpoll ? await loadEpoll() : undefined, page);
  const mainBell = await bellToRing(memory, layout.doorbell);
  const thread = new FrontThread({ memory, places, page, loop, bell, mainBell });
  if (tls !== undefined) thread.secure(tls);
  const answer = (message: FrontAnswer): void => {
    port.postMessage(message);
  };
  port.on('message', (order: FrontOrder) => {
    try {
      thread.secure(order.tls);
      answer({ kind: 'secured' });
    } catch (error) {
      answer({ kind: 'failed', message: (error as Error).message });
    }
  });
  new LoopVitals(page, flightRecorder(new EventRing(data.recorder)), {
    idleMs: () => loop.idleMs,
  }).start();
  thread.run();
  answer({ kind: 'up' });
}
