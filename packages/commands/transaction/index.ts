export {
  transactionCommands,
  type TransactionContext,
  type TransactionsPort,
} from './transaction.ts';
