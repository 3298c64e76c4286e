/** Sockets of plain connections: in the epoll of main's loop, or of Node. */

import type { Settings } from '#config';
import { EpollLoop, EpollSockets, NodeSockets, type PlainSockets, type ThreadLoop } from '#net';
import type { FrontPool } from '../threads/front-pool.ts';
import type { ServerMemory } from '../threads/shared-memory.ts';

export function newSockets(
  serverMemory: ServerMemory,
  settings: Settings,
  loop: ThreadLoop,
  frontPool: FrontPool,
): PlainSockets {
  const read = serverMemory.readBuffer();
  if (!(loop instanceof EpollLoop)) {
    return new NodeSockets(read, (descriptor) => frontPool.duplicate(descriptor));
  }
  const keepAliveSecs = (): number => settings.number('server.tcp-keepalive-secs');
  return new EpollSockets(loop.share(read, serverMemory.memory.bytes), keepAliveSecs);
}
