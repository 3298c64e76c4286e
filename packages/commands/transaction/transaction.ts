/** MULTI, EXEC, DISCARD, WATCH and UNWATCH. The router queues the commands between MULTI and EXEC. */

import { CommandError } from '#base';
import type { MainContext } from '../contexts/contexts.ts';
import { byKey, exec as execRoute, onMain, type CommandHead } from '../definition/definition.ts';
import { keysToEnd, noKeys } from '../definition/keys.ts';
import { allOk } from '../definition/merge.ts';

/** Port of the server that commands of this family use. */
export interface TransactionsPort {
  /** True between MULTI and EXEC or DISCARD. */
  readonly isOpen: boolean;
  begin(): void;
  /** Forgets what was queued, and all watches. */
  discard(): void;
  unwatch(): void;
}

export interface TransactionContext extends MainContext {
  readonly transactions: TransactionsPort;
}

const ofTransactions = {
  group: 'transactions',
  keys: noKeys,
  args: [],
} as const satisfies Partial<CommandHead>;

const nested = new CommandError('ERR MULTI calls can not be nested');
const discardWithout = new CommandError('ERR DISCARD without MULTI');

const multi = onMain<TransactionContext>({
  ...ofTransactions,
  name: 'MULTI',
  sessionOnly: true,
  summary: 'Starts a transaction: further commands are queued until EXEC.',
  since: '1.2.0',
  complexity: 'O(1)',
  arity: 1,
  flags: ['noscript', 'loading', 'stale', 'fast', 'allow_busy'],
  run({ reply, transactions }) {
    if (transactions.isOpen) throw nested;
    transactions.begin();
    reply.ok();
  },
});

const discard = onMain<TransactionContext>({
  ...ofTransactions,
  name: 'DISCARD',
  sessionOnly: true,
  summary: 'Discards the commands queued since MULTI.',
  since: '2.0.0',
  complexity: 'O(N) for N queued commands.',
  arity: 1,
  flags: ['noscript', 'loading', 'stale', 'fast', 'allow_busy'],
  run({ reply, transactions }) {
    if (!transactions.isOpen) throw discardWithout;
    transactions.discard();
    reply.ok();
  },
});

const exec = execRoute({
  ...ofTransactions,
  name: 'EXEC',
  summary: 'Runs the commands queued since MULTI, unless a watched key has changed.',
  since: '1.2.0',
  complexity: 'Depends on the queued commands.',
  arity: 1,
  flags: ['noscript', 'loading', 'stale', 'skip_slowlog'],
});

const watch = byKey({
  name: 'WATCH',
  leavesValues: true,
  summary: 'Watches keys: the next EXEC runs nothing if one of them has changed.',
  since: '2.2.0',
  complexity: 'O(1) for every key.',
  group: 'transactions',
  arity: -2,
  flags: ['noscript', 'loading', 'stale', 'fast', 'allow_busy'],
  tips: [],
  keys: keysToEnd('RO'),
  args: [{ name: 'key', type: 'key', multiple: true }],
  run(context, args) {
    while (args.more) context.watch(args.copy(args.next()));
    return null;
  },
  merge: allOk,
});

const unwatch = onMain<TransactionContext>({
  ...ofTransactions,
  name: 'UNWATCH',
  sessionOnly: true,
  summary: 'Discards all watches of the connection.',
  since: '2.2.0',
  complexity: 'O(1)',
  arity: 1,
  flags: ['noscript', 'loading', 'stale', 'fast', 'allow_busy'],
  run({ reply, transactions }) {
    transactions.unwatch();
    reply.ok();
  },
});

export const transactionCommands = [multi, exec, discard, watch, unwatch];
