/** What operators' programs ask for, and may have done. */

import { Phase } from '#diag';
import { HttpError, json, type Answer } from './answer.ts';
import type { Exchange } from './exchange.ts';
import type { Route } from './routes.ts';
import type { Surroundings } from './surroundings.ts';

const PHASES: Readonly<Record<number, string>> = {
  [Phase.starting]: 'starting',
  [Phase.ready]: 'ready',
  [Phase.stopping]: 'stopping',
};

const NOTHING_ON_DISK = 'this version keeps nothing on disk';

export function adminRoutes(surroundings: Surroundings): Route[] {
  const { sight } = surroundings;
  return [
    {
      path: '/admin/health',
      about: 'How the server fares, and what is wrong.',
      methods: {
        GET: async () => {
          const { health } = await surroundings.status();
          return json({ ...health, state: PHASES[sight.main.get('phase')] });
        },
      },
    },
    {
      path: '/admin/role',
      about: 'What the server is in replication.',
      methods: {
        GET: () => json({ role: 'primary', connected_replicas: 0, replication_offset: 0 }),
      },
    },
    {
      path: '/admin/cluster',
      about: 'Whether the server is part of a cluster.',
      methods: { GET: () => json({ enabled: false }) },
    },
    {
      path: '/admin/nodes',
      about: 'The nodes of the cluster.',
      methods: { GET: () => json({ enabled: false, nodes: [] }) },
    },
    {
      path: '/admin/shutdown',
      about: 'Finishes what is in flight and ends the server; ?save=true|false.',
      methods: { POST: (exchange) => shutdown(surroundings, exchange) },
    },
    {
      path: '/admin/snapshot',
      about: 'Writes a snapshot.',
      methods: {
        POST: () => {
          throw new HttpError(501, 'not available', {}, NOTHING_ON_DISK);
        },
      },
    },
  ];
}

async function shutdown({ desk }: Surroundings, exchange: Exchange): Promise<Answer> {
  const save = exchange.query.get('save') ?? 'false';
  if (save !== 'true' && save !== 'false') {
    throw new HttpError(400, 'save must be true or false');
  }
  if (save === 'true') throw new HttpError(501, 'not available', {}, NOTHING_ON_DISK);
  await desk.ask('shutdown', null);
  return json({ status: 'shutting_down' }, 202);
}
