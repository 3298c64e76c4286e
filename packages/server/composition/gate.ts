import { errors, type CommandError } from '#base';
import type { Arguments, CommandEntry } from '#commands';
import type { Client } from '#router';
import type { PersistenceSwitch } from '../durability/persistence-switch.ts';
import type { ClusterGate } from '../cluster/gate/cluster-gate.ts';
import type { Clients } from '../clients/clients.ts';

/** State of the server that decides on commands. */
interface GateState {
  readonly clients: Clients;
  /** True when the data is there; at the latest when the server has started. */
  readonly isLoaded: () => boolean;
  /** True when the server has started, and has its place in a cluster: until then commands wait. */
  readonly isStarted: () => boolean;
  readonly persistence: Pick<PersistenceSwitch, 'durability'>;
  /** Tells why a replica does not run a command. */
  readonly replicaRefusal: (client: Client, entry: CommandEntry) => CommandError | undefined;
  /** Judges which node of a cluster runs a command; undefined where the server is in none. */
  readonly cluster: Pick<ClusterGate, 'judge'> | undefined;
  /** True while a script has run for too long. */
  readonly isBusy: () => boolean;
  /** Tells whether writes have fewer replicas than they need. */
  readonly replicas: { readonly lacksReplicas: boolean };
  /** Tells shards whether they lack replicas, or have data that may be old: their scripts are judged by it. */
  readonly tellShards: (what: 'lacks-replicas' | 'stale', isSo: boolean) => void;
  /** True while the data of a replica may be old, and nobody is to see them. */
  readonly isStale: () => boolean;
}

/** Returns the reason why a client may not run a command now; `wait` when it may later. */
export type Gate = (
  client: Client,
  entry: CommandEntry,
  args: Arguments,
) => CommandError | 'wait' | undefined;

/** Makes the function that every command has to pass. */
export function newGate(state: GateState): Gate {
  const awaitsStart = startWait(state);
  let wasLacking = false;
  let wasStale = false;
  /** A script is refused where it writes or reads, so its shard has to know; what is told is before the command. */
  const tellShards = (): void => {
    const { lacksReplicas } = state.replicas;
    if (lacksReplicas !== wasLacking) state.tellShards('lacks-replicas', lacksReplicas);
    wasLacking = lacksReplicas;
    const isStale = state.isStale();
    if (isStale !== wasStale) state.tellShards('stale', isStale);
    wasStale = isStale;
  };
  return (client, entry, args) => {
    // What a primary sends is run whatever this server thinks of it; a script that is busy is waited for.
    if (client.isPrimary) return state.isBusy() ? 'wait' : undefined;
    const refusal = state.clients.gate(client, entry, args);
    if (refusal !== undefined) return refusal;
    const early = awaitsStart(entry);
    if (early !== undefined) return early;
    const elsewhere = state.cluster?.judge(client, entry, args);
    if (elsewhere !== undefined) return elsewhere;
    if (entry.script !== undefined || entry.route === 'exec') tellShards();
    const refused = writeRefusal(state, client, entry) ?? state.replicaRefusal(client, entry);
    // As Redis, which holds back nothing that it would refuse.
    return refused ?? state.clients.hold(client, entry, args);
  };
}

/** Makes the function that returns why a command is not run before the server has started. */
function startWait(
  state: Pick<GateState, 'isStarted' | 'isLoaded'>,
): (entry: CommandEntry) => CommandError | 'wait' | undefined {
  let hasStarted = false;
  return (entry) => {
    hasStarted ||= state.isStarted();
    if (hasStarted || entry.has('loading')) return undefined;
    return state.isLoaded() ? 'wait' : errors.loading;
  };
}

/** Tells why nothing is to be written now. */
function writeRefusal(
  { replicas, persistence }: GateState,
  client: Client,
  entry: CommandEntry,
): CommandError | undefined {
  // As Redis, which judges its disk first.
  const failure = isWriting(entry) ? persistence.durability?.refusal : undefined;
  if (failure !== undefined) return failure;
  return client.writes(entry) && replicas.lacksReplicas ? errors.noReplicas : undefined;
}

/** True for commands that write, and for scripts that may. */
function isWriting(entry: CommandEntry): boolean {
  return entry.isWrite || (entry.script !== undefined && entry.mayChange);
}
