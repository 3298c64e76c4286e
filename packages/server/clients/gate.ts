import { errors, type CommandError } from '#base';
import type { Arguments, CommandEntry } from '#commands';
import type { Client } from '#router';
import type { PersistenceSwitch } from '../durability/persistence-switch.ts';
import type { Clients } from './clients.ts';

/** State of the server that decides on commands. */
interface GateState {
  readonly clients: Clients;
  /** True when the data is there. */
  readonly isLoaded: () => boolean;
  readonly persistence: Pick<PersistenceSwitch, 'durability'>;
  /** Tells whether writes have fewer replicas than they need. */
  readonly replicas: { readonly lacksReplicas: boolean };
}

/** Returns the reason why a client may not run a command now; `wait` when it may later. */
export type Gate = (
  client: Client,
  entry: CommandEntry,
  args: Arguments,
) => CommandError | 'wait' | undefined;

/** Makes the function that every command has to pass. */
export function newGate(state: GateState): Gate {
  return (client, entry, args) => {
    const refusal = state.clients.gate(client, entry, args);
    if (refusal !== undefined) return refusal;
    if (!state.isLoaded() && !entry.has('loading')) return errors.loading;
    if (!isWriting(entry)) return undefined;
    const { replicas, persistence } = state;
    // As Redis, which judges its disk first.
    return (
      persistence.durability?.refusal ?? (replicas.lacksReplicas ? errors.noReplicas : undefined)
    );
  };
}

/** True for commands that write, and for scripts that may. */
function isWriting(entry: CommandEntry): boolean {
  return entry.isWrite || (entry.script !== undefined && entry.mayChange);
}
