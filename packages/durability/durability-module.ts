/** Persistence as a module of main. */

import type { LatencyEvents } from '#stats';
import { type Composed, MainModule, type Modules, type ShardPool } from '#main';
import { KeyFreeze } from './key-freeze.ts';
import { PersistenceSwitch, type PersistenceSwitchOptions } from './persistence-switch.ts';

interface DurabilityModuleOptions extends Omit<
  PersistenceSwitchOptions,
  'diskPorts' | 'freeze' | 'latency' | 'recovered' | 'publish'
> {
  readonly pool: Pick<ShardPool, 'diskPorts'>;
  readonly mainLatency: { readonly latency: LatencyEvents };
  readonly modules: Pick<Modules, 'recovered'>;
  readonly beginTurn: () => void;
}

interface DurabilityParts {
  readonly persistence: PersistenceSwitch;
  /** Mutex: one snapshot or full synchronisation at a time freezes the keyspace. */
  readonly freeze: KeyFreeze;
}

export function durabilityModule(
  options: DurabilityModuleOptions,
): Composed<DurabilityParts, 'saving', 'snapshot' | 'disk-outcomes'> {
  const { modules, pool, mainLatency, beginTurn } = options;
  const freeze = new KeyFreeze();
  const persistence = new PersistenceSwitch({
    ...options,
    freeze,
    diskPorts: pool.diskPorts,
    latency: mainLatency.latency,
    recovered: modules.recovered,
    publish: beginTurn,
  });
  return { module: moduleOf(persistence, options), parts: { persistence, freeze } };
}

function moduleOf(
  persistence: PersistenceSwitch,
  { log }: Pick<DurabilityModuleOptions, 'log'>,
): MainModule<'saving', 'snapshot' | 'disk-outcomes'> {
  return new MainModule({
    name: 'durability',
    judges: {
      disk: {
        // Scripts may write.
        concerns: (entry) => entry.isWrite || (entry.script !== undefined && entry.mayChange),
        judge: () => persistence.durability?.refusal,
      },
    },
    hooks: {
      start: () => {
        persistence.start();
      },
    },
    setting: persistence,
    ports: {
      get saving() {
        return persistence.durability;
      },
    },
    answers: {
      'disk-outcomes': () => {
        const { durability } = persistence;
        if (durability === undefined) return null;
        const { snapshots, failures } = durability.outcomes;
        return { snapshots, failures };
      },
      snapshot: () => {
        const { durability } = persistence;
        if (durability === undefined) return 'nothing-kept';
        if (durability.saveInBackground(false) === 'busy') return 'busy';
        log.info('snapshot-asked', 'Snapshot requested over HTTP');
        return 'started';
      },
    },
  });
}
