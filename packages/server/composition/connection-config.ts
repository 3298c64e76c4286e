/** Configuration that all connections share, built from the server's memory, settings and turn. */

import { AT } from '#stats';
import type { ConnectionConfig } from '#net';
import { ParsedCommand } from '#resp';
import type { Turn } from '#main';
import type { Router } from '#router';
import type { Kernel } from './kernel.ts';

export function connectionConfig(
  { page, blocks, settings }: Kernel,
  turn: Turn<Router>,
  { mayWrite }: Pick<ConnectionConfig, 'mayWrite'>,
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
    pool: blocks,
    command: new ParsedCommand(),
    mayWrite,
    limits,
    turn: {
      get number() {
        return turn.number;
      },
      begin: ({ label }) => {
        turn.begin();
        // If main gets stuck, other threads can report whose input it processes.
        page.values[AT.workClient] = label;
        page.values[AT.workCommand] = 0;
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
        page.values[AT.bytesRead] = page.values[AT.bytesRead]! + bytes;
      },
      wrote: (bytes) => {
        page.values[AT.bytesWritten] = page.values[AT.bytesWritten]! + bytes;
      },
      queryLimitExceeded: () => {
        page.add('queryLimitDisconnections', 1);
      },
    },
  };
}
