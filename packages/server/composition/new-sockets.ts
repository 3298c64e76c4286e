/** Sockets of plain connections: in the epoll of main's loop, or of Node. */

import type { Logger } from '#base';
import type { Settings } from '#config';
import { EpollLoop, EpollSockets, NodeSockets, type PlainSockets, type ThreadLoop } from '#net';
import type { FrontPool, ServerMemory } from '#main';

interface SocketParts {
  readonly loop: ThreadLoop;
  readonly frontPool: FrontPool;
  readonly log: Pick<Logger, 'warn'>;
}

export function newSockets(
  serverMemory: ServerMemory,
  settings: Settings,
  { loop, frontPool, log }: SocketParts,
): PlainSockets {
  const read = serverMemory.readBuffer();
  if (!(loop instanceof EpollLoop)) {
    return new NodeSockets(read, (descriptor) => frontPool.duplicate(descriptor));
  }
  const keepAliveSecs = (): number => settings.number('server.tcp-keepalive-secs');
  return new EpollSockets(loop.share(read, serverMemory.memory.bytes), keepAliveSecs, (reason) => {
    log.warn('clients-wait', `Accepting connections paused: ${reason}`);
  });
}
