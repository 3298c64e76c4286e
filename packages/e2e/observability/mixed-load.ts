/** Work of all kinds for a server, with rests in which its threads sleep, until it is stopped. */

import type { ChildServer } from '#testkit';

interface Load {
  stop(): Promise<void>;
}

/** Begins to read, write, fail, wait and expire, with these keys. */
export async function mixedLoad(server: ChildServer, keys: readonly string[]): Promise<Load> {
  const client = await server.client();
  const blocked = await server.client();
  const state = { isOver: false };
  const busy = (async (): Promise<void> => {
    for (let nth = 0; !state.isOver; nth += 1) {
      await client.pipeline([
        ...keys.map((key) => ['SET', key, nth, 'PX', 1 + (nth % 20)]),
        ...keys.map((key) => ['GET', key]),
        ...keys.map((key) => ['LPUSH', key, nth]),
        ['MGET', ...keys],
        ['DEL', ...keys],
        ['MULTI'],
        ['DBSIZE'],
        ['EXEC'],
      ]);
      await new Promise((resolve) => setTimeout(resolve, nth % 7));
    }
  })();
  const lists = keys.map((key) => `${key}:list`);
  const waiting = (async (): Promise<void> => {
    while (!state.isOver) await blocked.call('BLPOP', ...lists, 0.005);
  })();
  return {
    async stop() {
      state.isOver = true;
      await Promise.all([busy, waiting]);
    },
  };
}
