/** Work of a machine for its warm tier, between commands. */

import { type Store, warm } from '#store';
import type { KeyEvents } from '../execution/key-events.ts';
import type { Frame } from '../frames/frame.ts';
import type { Maintenance } from '../timed/maintenance.ts';
import { WarmCommands, type WarmCommandsOptions } from '../warm/warm-commands.ts';
import type { WarmValues } from '../warm/warm-values.ts';
import type { WorkingSet } from '../warm/working-set.ts';

interface WarmWorkOptions extends Omit<WarmCommandsOptions, 'values'> {
  /** Undefined without a tier: then there is nothing to do. */
  readonly values: WarmValues | undefined;
  readonly maintenance: Maintenance;
  readonly events: KeyEvents;
}

export class WarmWork {
  readonly #store: Store;
  readonly #workingSet: WorkingSet;
  readonly #values: WarmValues | undefined;
  readonly #commands: WarmCommands | undefined;
  readonly #maintenance: Maintenance;
  readonly #events: KeyEvents;

  constructor({ values, maintenance, events, ...options }: WarmWorkOptions) {
    const { store, executor, workingSet } = options;
    this.#workingSet = workingSet;
    this.#store = store;
    this.#values = values;
    this.#maintenance = maintenance;
    this.#events = events;
    this.#commands = values && new WarmCommands({ ...options, values });
    // What is done while no command runs may change what it finds.
    if (values !== undefined) store.tier.isWriting = () => executor.isWriting;
  }

  /** True when a value has come. */
  get hasArrived(): boolean {
    return this.#values?.hasArrived === true;
  }

  /** Puts a frame off that needs warm values; answers whether it has. */
  putsOff(frame: Frame, names?: readonly string[] | null): boolean {
    return this.#commands?.putsOff(frame, names) === true;
  }

  /** Runs commands whose values have come; answers whether any value has. */
  takeArrived(): boolean {
    if (this.#values?.step() !== true) return false;
    this.#events.begin();
    this.#commands?.run();
    return true;
  }

  /** Ends the use of warm values by the commands that were run. */
  settle(): void {
    if (this.#values !== undefined) this.#countUses();
    if (this.#store.tier.loans.size > 0) warm.settleLoans(this.#store, this.#maintenance.hasRoom);
  }

  /** Has the use of what was in memory counted, and what is watched looked at. */
  #countUses(): void {
    const { keyPrefetch } = this.#store;
    this.#workingSet.use(keyPrefetch.foundInMemory);
    keyPrefetch.foundInMemory = 0;
    keyPrefetch.watchedMask = this.#workingSet.mask;
  }

  /** Lets the tier's thread see what is wanted. */
  publish(): void {
    this.#values?.publish();
  }

  /** Spills what was read from files, where that is more than memory has room for. */
  makeRoomWhileLoading(): void {
    if (this.#store.tier.outlet === undefined) return;
    this.settle();
    this.#maintenance.spillWhileLoading();
    this.#values?.step();
    this.#values?.publish();
  }
}
