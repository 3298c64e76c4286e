/** Messages between main and a shard's thread during recovery. */

import { parentPort, type MessagePort } from 'node:worker_threads';
import { unreachable } from '#base';
import type { Page } from '#stats';
import { isProblem, type RecordPieces, type RecoveryProblem, type ShardPlan } from '#persistence';
import type { LogEnd } from './multi-shard/agreement.ts';
import type { Journal } from './log/journal.ts';
import type { ShardMachine } from './machine/machine.ts';
import { Recovery, type RecoveryReport } from './recovery/recovery.ts';

/** Orders of main, in this order: `repair` when all shards have recovered, `give` where another lacks a transaction. */
export type RecoveryOrder =
  | {
      readonly kind: 'recover';
      readonly plan: ShardPlan | undefined;
      readonly anyway: boolean;
      /** The transaction before which the log is to end. */
      readonly stopAt?: number | undefined;
    }
  | { readonly kind: 'repair' }
  | { readonly kind: 'give'; readonly ids: readonly number[] }
  | { readonly kind: 'go'; readonly records: readonly RecordPieces[] };

/** `up` is sent without a request: the thread runs, and has no data yet. */
export type RecoveryAnswer =
  | { readonly kind: 'up' }
  | {
      readonly kind: 'recovered';
      readonly report: RecoveryReport;
      readonly end: LogEnd;
    }
  | { readonly kind: 'not-recovered'; readonly problem: RecoveryProblem }
  | { readonly kind: 'repaired' }
  | { readonly kind: 'given'; readonly records: readonly RecordPieces[] }
  | { readonly kind: 'gone' };

/** Ends when the shard may serve. */
export async function recoverThread(
  machine: ShardMachine,
  journal: Journal,
  page: Page,
): Promise<void> {
  const port = parentPort ?? unreachable('a shard is a thread');
  const orders = ordersOf(port);
  const answer = (message: RecoveryAnswer): void => {
    port.postMessage(message);
  };
  let recovery: Recovery | undefined;
  for (;;) {
    const order = await orders.next();
    switch (order.kind) {
      case 'recover': {
        const { store, replay } = machine;
        const passed = (): void => {
          machine.loaded();
        };
        recovery = new Recovery({ store, replay, page, passed });
        answer(recover(machine, recovery, order));
        break;
      }
      case 'repair':
        recovery?.repair();
        answer({ kind: 'repaired' });
        break;
      case 'give': {
        answer({ kind: 'given', records: machine.replay.recordsOf(new Set(order.ids)) });
        break;
      }
      case 'go':
        journal.begin();
        for (const record of order.records) {
          machine.replay.given(record);
          journal.again(record);
        }
        journal.flush();
        machine.endReplay();
        answer({ kind: 'gone' });
        orders.close();
        return;
    }
  }
}

function recover(
  machine: ShardMachine,
  recovery: Recovery,
  { plan, anyway, stopAt }: Extract<RecoveryOrder, { kind: 'recover' }>,
): RecoveryAnswer {
  machine.beginReplay(stopAt);
  const noLog = { segments: [], hole: undefined, unwritten: undefined };
  const nothing = { snapshot: undefined, snapshotKeys: 0, salvages: false, ...noLog, bytes: 0 };
  const outcome = recovery.run(plan ?? nothing, anyway);
  if (isProblem(outcome)) return { kind: 'not-recovered', problem: outcome };
  return { kind: 'recovered', report: outcome, end: machine.replay.end };
}

interface Orders {
  next(): Promise<RecoveryOrder>;
  close(): void;
}

function ordersOf(port: MessagePort): Orders {
  const come: RecoveryOrder[] = [];
  let waiting: ((order: RecoveryOrder) => void) | undefined;
  const take = (order: RecoveryOrder): void => {
    if (waiting === undefined) come.push(order);
    else waiting(order);
    waiting = undefined;
  };
  port.on('message', take);
  return {
    next: () =>
      new Promise((resolve) => {
        const first = come.shift();
        if (first === undefined) waiting = resolve;
        else resolve(first);
      }),
    close() {
      port.off('message', take);
      port.unref();
    },
  };
}
