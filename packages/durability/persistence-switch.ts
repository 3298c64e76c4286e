/** Switches persistence on and off at runtime, with the lock of the data folder. */

import { setTimeout as sleep } from 'node:timers/promises';
import { configSetFailed, type Settings } from '#config';
import { DataFolder, FolderLock, type KeptPlace, makeFolder, writeStreamPlace } from '#persistence';
import {
  DiskLink,
  type DiskPorts,
  diskSettings,
  type TwoPhaseSetting,
  type Pairs,
  type SettingChanges,
} from '#main';
import { Durability, type DurabilityOptions } from './durability.ts';

const NAME = 'persistence.enabled';
/** Between two attempts to keep data again. */
const RETRY_MS = 1_000;

export interface PersistenceSwitchOptions extends Omit<DurabilityOptions, 'disk' | 'folder'> {
  /** The data folder, where persistence is on from the start. */
  readonly own: OwnFolder | undefined;
  /** The disk thread's ends of its ways to the shards. */
  readonly diskPorts: readonly DiskPorts[];
}

/** The data folder that a start has for itself, as it has found it. */
export interface OwnFolder {
  readonly lock: FolderLock;
  readonly found: DataFolder;
}

/** Takes the data folder and looks into it; rejects with a DataFolderError when it cannot be had or used. */
export async function openDataFolder(settings: Settings): Promise<OwnFolder> {
  const lock = await lockDataFolder(settings);
  try {
    return { lock, found: new DataFolder(settings.string('persistence.data-dir')) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function lockDataFolder(settings: Settings): Promise<FolderLock> {
  const dataDir = settings.string('persistence.data-dir');
  makeFolder(dataDir);
  return FolderLock.take(dataDir);
}

export class PersistenceSwitch implements TwoPhaseSetting {
  readonly #options: PersistenceSwitchOptions;
  /** Held from when it is needed first until the end. */
  #lock: FolderLock | undefined;
  #durability: Durability | undefined;
  /** Resolves when pending work has ended, with any outcome. */
  #busy: Promise<unknown> = Promise.resolve();
  #isLeaving = false;
  #isStopping = false;

  constructor(options: PersistenceSwitchOptions) {
    this.#options = options;
    this.#lock = options.own?.lock;
    if (options.own !== undefined) this.#made().open(options.own.found);
  }

  /** Undefined while nothing is kept on disk. */
  get durability(): Durability | undefined {
    return this.#durability?.isOn === true ? this.#durability : undefined;
  }

  /** The disk thread is made when it is needed first, and stays. */
  #made(): Durability {
    if (this.#durability !== undefined) return this.#durability;
    const { settings, serverMemory, diskPorts } = this.#options;
    const folder = settings.string('persistence.data-dir');
    const options = {
      folder,
      link: serverMemory.shape,
      memory: serverMemory.memory.memory,
      figures: serverMemory.logMemory,
      ...diskSettings(settings),
    };
    const disk = new DiskLink(options, diskPorts);
    this.#durability = new Durability({ ...this.#options, folder, disk });
    return this.#durability;
  }

  /** The server serves: snapshots are due from now on. */
  start(): void {
    this.durability?.start();
  }

  concerns(changes: SettingChanges): boolean {
    return changes.get(NAME) === true;
  }

  /** Switches persistence on: changes are durable once a snapshot of the current data has finished. */
  async make(_changes: SettingChanges, pairs: Pairs): Promise<() => void> {
    const name = nameIn(pairs);
    if (this.#isLeaving) throw configSetFailed(name, 'the log is still being closed');
    const on = this.#on();
    this.#busy = on.catch(() => undefined);
    try {
      await on;
    } catch (error) {
      throw configSetFailed(name, (error as Error).message);
    }
    return () => {
      this.#leave();
    };
  }

  async #on(): Promise<void> {
    const lock = this.#lock ?? (await lockDataFolder(this.#options.settings));
    try {
      if (this.#isStopping) throw new Error('the server stops');
      await this.#made().found();
    } catch (error) {
      if (lock !== this.#lock) lock.release();
      throw error;
    }
    this.#lock = lock;
  }

  /** Throws a ConfigCommandError where it cannot be switched now. */
  judge(changes: SettingChanges, pairs: Pairs): void {
    const isLoading = this.#options.serverMemory.mainPage.get('loading') === 1;
    if (!changes.has(NAME) || !isLoading) return;
    throw configSetFailed(nameIn(pairs), 'the data is still being read');
  }

  /** The settings are changed. */
  changed(changes: SettingChanges): void {
    if (changes.get(NAME) === false) this.#leave();
  }

  #leave(): void {
    const { durability } = this;
    if (durability === undefined) return;
    this.#isLeaving = true;
    this.#busy = durability.leave().finally(() => {
      this.#isLeaving = false;
    });
  }

  /**
   * Keeps nothing for now: all data are about to be replaced, and until `resume` those on disk are the old ones. Answers
   * whether anything was kept.
   */
  async suspend(): Promise<boolean> {
    if (this.durability === undefined) return false;
    this.#leave();
    await this.settled();
    return true;
  }

  /** Persists further changes, based on a snapshot of the current data; retries until the disk accepts it. */
  async resume(): Promise<void> {
    const { settings, log } = this.#options;
    for (let isOn = false; !isOn && !this.#isStopping;) {
      if (!settings.boolean('persistence.enabled') || this.durability !== undefined) return;
      const on = this.#on();
      this.#busy = on.catch(() => undefined);
      try {
        await on;
        isOn = true;
      } catch (error) {
        const fields = { error: (error as Error).message };
        log.error(
          'persistence-not-resumed',
          'Persistence not resumed: the log cannot be written',
          fields,
        );
        await sleep(RETRY_MS);
      }
    }
  }

  /** Settles when the logs are closed, if persistence was switched off. */
  async settled(): Promise<void> {
    if (this.#isLeaving) await this.#busy;
  }

  /** Has the disk thread give back memory that it does not use, where there is one. */
  async purge(): Promise<void> {
    await this.#durability?.disk.purge();
  }

  /** Without it the next start needs all data of its primary, or its replicas do. */
  #keep(place: KeptPlace): void {
    const { settings, log } = this.#options;
    try {
      writeStreamPlace(new DataFolder(settings.string('persistence.data-dir')), place);
    } catch (error) {
      const fields = { error: (error as Error).message };
      log.warn('stream-place', 'Replication offset cannot be saved', fields);
    }
  }

  /** Has all on disk, with the place in the stream of replication that belongs to it. */
  async stop(place?: KeptPlace): Promise<void> {
    this.#isStopping = true;
    // What is being closed is closed by the stop at the latest.
    if (!this.#isLeaving) await this.#busy;
    await this.#durability?.stop();
    if (place !== undefined && this.#durability?.isWhole === true) this.#keep(place);
    this.#lock?.release();
  }
}

/** The name by which a client has asked for it. */
function nameIn(pairs: Pairs): string {
  const asked = pairs.find(([name]) => /^(appendonly|persistence-enabled)$/i.test(name));
  return asked?.[0] ?? 'appendonly';
}
