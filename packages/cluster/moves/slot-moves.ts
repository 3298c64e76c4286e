/**
 * Slot migrations of this node, as the source or as the target. The work follows from the documents of the migrations
 * alone, and is checked with each change of the topology: so a node that restarts after a crash ends the migrations
 * that it finds, and drops invalid keys.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Logger } from '#base';
import type { MoveWish, SlotMigrationDetails } from '#commands';
import type { Settings } from '#config';
import type { ConnectionConfig } from '#net';
import type { Router } from '#router';
import {
  beginImport,
  beginMoves,
  failMove,
  finishMove,
  forgetMove,
  moveFault,
  slotsOf,
  spansOf,
  uncleanGroup,
} from '../agreement/decisions/migrations.ts';
import { ClusterError } from '../agreement/cluster-error.ts';
import type { ClusterNode } from '../agreement/cluster-node.ts';
import type { SlotMigration } from '../agreement/topology.ts';
import type { SlotSpan } from '../agreement/documents/documents.ts';
import type { Primary } from '#replication';
import type { Clients } from '#clients';
import { newId } from '../nodes/node-id.ts';
import { MoveProgress } from './move-progress.ts';
import { SlotExport } from './slot-export.ts';
import { SlotImport } from './slot-import.ts';
import { sweepSlots } from './slot-sweep.ts';

/** Between two tries of what the coordinator, or a shard, has not done. */
const AGAIN_MS = 500;
/** Maximum number of finished migrations that are reported. */
const ENDED_MAX = 32;
/** Longest wait for the coordinator while writes are held back. */
const FLIP_MS_MAX = 3_000;
const CANCELLED = 'it was cancelled';

interface SlotMovesOptions {
  readonly node: ClusterNode;
  readonly settings: Settings;
  readonly router: Router;
  readonly clients: Clients;
  readonly config: ConnectionConfig;
  readonly primary: Primary;
  readonly shardCount: number;
  readonly clock: Clock;
  readonly log: Logger;
  onWritten(done: () => void): void;
  beginTurn(): void;
  /** Serves these slots no more, or again. */
  readonly withhold: (slots: readonly number[], isWithheld: boolean) => void;
}

export class SlotMoves {
  readonly #options: SlotMovesOptions;
  readonly #progress = new Map<string, MoveProgress>();
  /** Undefined until the document of the move is there. */
  readonly #exports = new Map<string, SlotExport | undefined>();
  /** Slots of moves whose documents are being written: the target may know of one, and come, before this node does. */
  readonly #beginning = new Map<string, readonly SlotSpan[]>();
  readonly #imports = new Map<string, SlotImport>();
  readonly #importers = new Map<string, number>();
  /** Work of a move that is under way, one at a time. */
  readonly #tasks = new Map<string, Promise<void>>();
  #reported = '';
  #hasStopped = false;

  constructor(options: SlotMovesOptions) {
    this.#options = options;
  }

  stop(): void {
    this.#hasStopped = true;
    for (const one of this.#exports.values()) one?.end('the server stops');
    for (const one of this.#imports.values()) void one.end();
  }

  /** Slots of a move that this server is the source of. A move that the target started may be unknown here until the documents are read. */
  readonly spansOf = async (id: string): Promise<readonly SlotSpan[] | undefined> => {
    if (!this.#exports.has(id)) await this.#lookAgain();
    return this.#exports.get(id) === undefined
      ? this.#beginning.get(id)
      : this.#options.node.topology.migrations.get(id)?.ranges;
  };

  /** True for a slot whose keys are on their way here, or still to be dropped. */
  hides(slot: number): boolean {
    return this.#hidden.some(([first, last]) => slot >= first && slot <= last);
  }

  // As the port of commands.

  async begin(wishes: readonly MoveWish[]): Promise<readonly string[]> {
    const { node } = this.#options;
    const moves = wishes.map((wish) => ({ ...wish, id: newId() }));
    for (const { id, slots } of moves) {
      this.#exports.set(id, undefined);
      this.#beginning.set(id, spansOf(slots));
    }
    try {
      await node.decide((topology) =>
        moves.some(({ id }) => topology.migrations.has(id))
          ? undefined
          : beginMoves(topology, node.id, moves),
      );
    } catch (error) {
      for (const { id } of moves) this.#exports.delete(id);
      throw error;
    } finally {
      for (const { id } of moves) this.#beginning.delete(id);
    }
    const ids = moves.map(({ id }) => id);
    for (const id of ids) {
      const migration = node.topology.migrations.get(id);
      // It may have been ended already, with a reason.
      if (migration?.state === 'begun') this.#export(migration);
      else this.#exports.delete(id);
    }
    return ids;
  }

  async import(slots: readonly number[]): Promise<string> {
    const { node } = this.#options;
    const id = newId();
    await node.decide((topology) =>
      topology.migrations.has(id) ? undefined : beginImport(topology, node.id, { id, slots }),
    );
    this.follow();
    return id;
  }

  async cancel(wanted: string | undefined): Promise<number> {
    const { node } = this.#options;
    let count = 0;
    for (const { id } of this.#own) {
      if (wanted !== undefined && id !== wanted) continue;
      let isEnded = false;
      await node.decide((now) => {
        const plan = failMove(now, id, CANCELLED);
        isEnded = plan !== undefined;
        return plan;
      });
      count += Number(isEnded);
    }
    return count;
  }

  async report(): Promise<readonly SlotMigrationDetails[]> {
    for (const one of this.#exports.values()) await one?.measure();
    return [...this.#progress.values()];
  }

  // Reactions to the topology.

  get #own(): readonly SlotMigration[] {
    const { topology, group } = this.#options.node;
    if (group === undefined) return [];
    return [...topology.migrations.values()].filter(
      ({ source, target }) => source === group.id || target === group.id,
    );
  }

  get #hidden(): readonly SlotSpan[] {
    const { group } = this.#options.node;
    return this.#own
      .filter((migration) => uncleanGroup(migration) === group?.id)
      .flatMap(({ ranges }) => ranges);
  }

  /** Does what the documents of all moves ask for now. */
  follow(): void {
    this.#reportShards();
    const { node } = this.#options;
    const own = this.#own;
    for (const id of [...this.#exports.keys(), ...this.#imports.keys()]) {
      const migration = node.topology.migrations.get(id);
      if (migration?.state !== 'begun') this.#ended(id, migration);
    }
    if (!node.isPrimary || this.#hasStopped) return;
    for (const migration of own) {
      if (migration.state === 'begun') this.#goOn(migration);
      else this.#cleanUp(migration);
    }
  }

  #reportShards(): void {
    const message = {
      kind: 'moving-slots' as const,
      hidden: this.#hidden,
      importers: [...this.#importers.values()],
    };
    const reported = JSON.stringify(message);
    if (reported === this.#reported || (this.#reported === '' && message.hidden.length === 0))
      return;
    this.#reported = reported;
    this.#options.router.broadcast(message);
  }

  /** A migration has started: it continues here, or fails. */
  #goOn(migration: SlotMigration): void {
    const { node } = this.#options;
    const { id, sourceNode, targetNode } = migration;
    const fault = moveFault(node.topology, migration);
    if (fault !== undefined) this.#fail(id, fault);
    else if (targetNode === node.id && !this.#imports.has(id)) this.#import(migration);
    else if (sourceNode === node.id && !this.#exports.has(id)) this.#export(migration);
  }

  /** A migration has ended, or its document was deleted after its cleanup. */
  #ended(id: string, migration: SlotMigration | undefined): void {
    // A move that has only just begun has no document yet.
    if (this.#exports.has(id) && this.#exports.get(id) === undefined) return;
    const progress = this.#progress.get(id);
    const reason = migration?.reason ?? '';
    if (progress !== undefined) this.#reportEnd(progress, migration);
    this.#exports.get(id)?.end(reason === '' ? 'the slots have moved' : reason);
    this.#exports.delete(id);
    this.#endImport(id);
    this.#options.log.info('cluster-slots-moved', 'Slot migration ended', {
      migration: id,
      state: progress?.state ?? '',
      reason,
    });
  }

  #reportEnd(progress: MoveProgress, migration: SlotMigration | undefined): void {
    const reason = migration?.reason ?? '';
    if (this.#hasMoved(progress, migration)) progress.enter('success');
    else progress.enter(reason === CANCELLED ? 'cancelled' : 'failed', reason);
  }

  /** True if the slots have moved: according to the document, or to the owner of the slots if it was deleted already. */
  #hasMoved(progress: MoveProgress, migration: SlotMigration | undefined): boolean {
    if (migration !== undefined) return migration.state === 'moved';
    const { topology, group } = this.#options.node;
    const first = progress.spans[0]?.[0];
    const isOurs = first !== undefined && topology.owners[first] === group?.id;
    return isOurs === (progress.operation === 'IMPORT');
  }

  #endImport(id: string): void {
    const imported = this.#imports.get(id);
    if (imported === undefined) return;
    this.#imports.delete(id);
    this.#task(id, async () => {
      await imported.end();
      this.#importers.delete(id);
      this.#reportShards();
    });
  }

  /** Drops what does not count any more, and takes the document away. */
  #cleanUp(migration: SlotMigration): void {
    const { node, shardCount, log } = this.#options;
    const { id, ranges } = migration;
    const unclean = uncleanGroup(migration);
    const isOurs = unclean === node.group?.id;
    if ((!isOurs && node.topology.groups.has(unclean)) || this.#cleaning.has(id)) return;
    this.#cleaning.add(id);
    this.#task(id, async () => {
      try {
        const isWanted = (): boolean => node.isPrimary && !this.#hasStopped;
        if (isOurs) {
          const keys = await sweepSlots(ranges, { own: this.#options, shardCount, isWanted });
          if (keys === undefined) return;
          log.info('cluster-slots-dropped', 'Keys of slots that this node does not serve dropped', {
            migration: id,
            keys,
          });
        }
        await node.decide((topology) => forgetMove(topology, id));
      } finally {
        this.#cleaning.delete(id);
      }
    });
  }

  readonly #cleaning = new Set<string>();

  /** Queues work of a migration; failed work is retried by the next check. */
  #task(id: string, work: () => Promise<void>): void {
    const before = this.#tasks.get(id) ?? Promise.resolve();
    const task = before.then(work).catch(async (error: unknown) => {
      this.#options.log.warn('cluster-slots', 'Slot migration step failed: retrying', {
        migration: id,
        error: (error as Error).message,
      });
      await sleep(AGAIN_MS);
      if (!this.#hasStopped) setImmediate(() => void this.#lookAgain());
    });
    this.#tasks.set(id, task);
    void task.then(() => {
      if (this.#tasks.get(id) === task) this.#tasks.delete(id);
    });
  }

  async #lookAgain(): Promise<void> {
    await this.#options.node.refresh().catch(() => undefined);
    this.follow();
  }

  readonly #failing = new Set<string>();

  /** Fails a migration, once the coordinator is reachable. */
  #fail(id: string, reason: string): void {
    if (this.#failing.has(id)) return;
    this.#failing.add(id);
    this.#options.log.warn('cluster-slots-failed', 'Slot migration abandoned', {
      migration: id,
      reason,
    });
    void this.#settle(id, reason).finally(() => {
      this.#failing.delete(id);
    });
  }

  /** Ensures that a migration is no longer running, with any outcome. */
  async #settle(id: string, reason: string): Promise<void> {
    const { node } = this.#options;
    while (!this.#hasStopped) {
      try {
        await node.refresh();
        await node.decide((topology) => failMove(topology, id, reason));
        this.follow();
        return;
      } catch {
        await sleep(AGAIN_MS);
      }
    }
  }

  #begun(migration: SlotMigration, operation: 'EXPORT' | 'IMPORT'): MoveProgress {
    const { id, ranges, sourceNode, targetNode } = migration;
    const { clock } = this.#options;
    const progress = new MoveProgress({
      id,
      operation,
      spans: ranges,
      sourceNode,
      targetNode,
      nowMs: () => clock.wallMs(),
    });
    this.#progress.set(id, progress);
    for (const [old, { hasEnded }] of this.#progress) {
      if (this.#progress.size <= ENDED_MAX) break;
      if (hasEnded) this.#progress.delete(old);
    }
    return progress;
  }

  // The source's side.

  #export(migration: SlotMigration): void {
    const { primary, router, clients, clock } = this.#options;
    const { id } = migration;
    const progress = this.#begun(migration, 'EXPORT');
    const exported = new SlotExport({
      migration,
      progress,
      primary,
      router,
      clients,
      nowMs: () => clock.nowUs() / 1_000,
      flip: () => this.#flip(migration),
    });
    this.#exports.set(id, exported);
    progress.start();
    exported.run().catch((error: unknown) => {
      this.#fail(id, (error as Error).message);
    });
  }

  /** Hands the slots over. While the outcome is unknown they are not served. */
  async #flip({ id, ranges }: SlotMigration): Promise<void> {
    const { node, withhold } = this.#options;
    const slots = slotsOf(ranges);
    const decided = node.decide((topology) =>
      topology.migrations.get(id)?.state === 'moved'
        ? undefined
        : finishMove(topology, node.id, id),
    );
    try {
      await inTime(decided);
    } catch (error) {
      if (error instanceof ClusterError) throw error;
      withhold(slots, true);
      void this.#settle(id, `the coordinator did not reply: ${(error as Error).message}`).then(
        () => {
          withhold(slots, false);
        },
      );
      throw error;
    }
  }

  // The target's side.

  #import(migration: SlotMigration): void {
    const { node, settings, router, clients, config, clock, log } = this.#options;
    const { id, ranges, sourceNode } = migration;
    const source = node.topology.nodes.get(sourceNode);
    // It is looked at again when it is there.
    if (source === undefined) return;
    const progress = this.#begun(migration, 'IMPORT');
    const imported = new SlotImport({
      migration,
      progress,
      source,
      settings,
      router,
      clients,
      config,
      clock,
      log,
      onWritten: (done) => {
        this.#options.onWritten(done);
      },
      begun: (clientSlot) => {
        this.#importers.set(id, clientSlot);
        this.#reportShards();
      },
      beginTurn: () => {
        this.#options.beginTurn();
      },
      failed: (reason) => {
        this.#fail(id, reason);
      },
    });
    this.#imports.set(id, imported);
    this.#task(id, async () => {
      const { shardCount } = this.#options;
      const isWanted = (): boolean => this.#imports.get(id) === imported;
      const dropped = await sweepSlots(ranges, { own: this.#options, shardCount, isWanted });
      if (dropped === undefined || !isWanted()) return;
      progress.start();
      imported.start();
    });
  }
}

/** Limits the wait for a decision, whose outcome is unknown after that. */
async function inTime(decided: Promise<void>): Promise<void> {
  const isLate = await Promise.race([
    decided.then(() => false),
    sleep(FLIP_MS_MAX, true, { ref: false }),
  ]);
  if (!isLate) return;
  decided.catch(() => undefined);
  throw new Error(`no reply within ${FLIP_MS_MAX} ms`);
}
