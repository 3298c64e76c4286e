import { launch, type ChildServer } from './child-server.ts';

/** The Redis that is compared with: the one TEST_REDIS names, else the one installed. */
export function redisProgram(): string {
  return process.env['TEST_REDIS'] ?? 'redis-server';
}

/** Starts that Redis, which keeps nothing on disk, to compare with or to be replicated from. */
export function startRedis(args: readonly string[] = [], folder?: string): Promise<ChildServer> {
  return launch({
    program: redisProgram(),
    ...(folder === undefined ? {} : { folder }),
    arguments: ({ port, folder: place }) => [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', place],
      ...['--save', '', '--appendonly', 'no'],
      ...args,
    ],
  });
}
