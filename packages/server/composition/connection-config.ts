/** Configuration that all connections share, built from the server's memory, settings and turn. */

import type { Settings } from '#config';
import { AT } from '#stats';
import type { BlockPool, ConnectionConfig } from '#net';
import { ParsedCommand } from '#resp';
import type { ServerMemory } from '../threads/shared-memory.ts';
import type { Turn } from '../threads/turn.ts';

export function connectionConfig(
  { mainPage }: ServerMemory,
  pool: BlockPool,
  settings: Settings,
  { turn, mayWrite }: { readonly turn: Turn; readonly mayWrite: ConnectionConfig['mayWrite'] },
): ConnectionConfig {
  const limits = {
    bulkBytesMax: settings.number('server.proto-max-bulk-len'),
    queryBytesMax: settings.number('server.query-buffer-limit'),
  };
  settings.onChange('server.proto-max-bulk-len', (value) => {
    limits.bulkBytesMax = value;
  });
  settings.onChange('server.query-buffer-limit', (value) => {
    limits.queryBytesMax = value;
  });
  return {
    pool,
    command: new ParsedCommand(),
    mayWrite,
    limits,
    turn: {
      get number() {
        return turn.number;
      },
      begin: ({ label }) => {
        turn.begin();
        // Should main stand still, others can tell over whose input.
        mainPage.values[AT.workClient] = label;
        mainPage.values[AT.workCommand] = 0;
      },
      dirty: (connection) => {
        turn.dirty(connection);
      },
      later: (connection) => {
        turn.later(connection);
      },
    },
    counters: {
      read: (bytes) => {
        // By name would be a lookup that V8 cannot remember: both names come by here, thousands of times a turn.
        mainPage.values[AT.bytesRead] = mainPage.values[AT.bytesRead]! + bytes;
      },
      wrote: (bytes) => {
        mainPage.values[AT.bytesWritten] = mainPage.values[AT.bytesWritten]! + bytes;
      },
      queryLimitExceeded: () => {
        mainPage.add('queryLimitDisconnections', 1);
      },
    },
  };
}
