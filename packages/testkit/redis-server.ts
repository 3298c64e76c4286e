import { launch, type ChildServer } from './child-server.ts';

/** Starts an installed Redis, which keeps nothing on disk, to compare with or to be replicated from. */
export function startRedis(args: readonly string[] = []): Promise<ChildServer> {
  return launch({
    program: 'redis-server',
    arguments: (port, folder) => [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder],
      ...['--save', '', '--appendonly', 'no'],
      ...args,
    ],
  });
}
