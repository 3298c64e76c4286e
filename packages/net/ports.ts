/** Resources that connections share, and the interface of their owners. */

import type { ParsedCommand, ParserLimits } from '#resp';
import type { BlockPool } from './blocks.ts';

/**
 * Outcome of a command: `long` = accepted, but took so much time that others come first; `full` = there is no room for
 * it, so reading stops; `held` = it must wait, but the socket is still read to notice a client that disconnects.
 */
export type Taking = 'taken' | 'long' | 'full' | 'held';

/** Callbacks of a connection to its owner. */
export interface ConnectionOwner {
  /** Called with one command; one that is not accepted is offered again after `resume`. */
  command(command: ParsedCommand): Taking;
  /** The client broke the protocol. Once that is taken nothing more is read; until then it is offered again after `resume`. */
  protocolError(text: string): 'taken' | 'held';
  /** True when replies to commands taken will come without further input from the client. */
  readonly isOwedReplies: boolean;
  /** Called when the memory of the query buffer has changed. */
  queryMemoryChanged(): void;
  /** The client will send no more, but may still read. Called again whenever commands of it that had to wait were taken. */
  ended(): void;
  /** All commands received were taken, after some of them had to wait. */
  caughtUp?(): void;
  /** The socket was closed. */
  closed(): void;
  /** Something was written. */
  wrote(): void;
  /** After a flush that left this many bytes unwritten. */
  backlogged(pendingBytes: number): void;
}

/** Resources that all connections of a server share. */
export interface ConnectionConfig {
  pool: BlockPool;
  command: ParsedCommand;
  limits: ParserLimits & { queryBytesMax: number };
  turn: ConnectionTurn;
  counters: NetCounters;
  /** Returns false while nothing may be sent to clients; undefined if that is always allowed. */
  mayWrite: (() => boolean) | undefined;
}

/** Members of a connection that a turn needs. */
export interface TurnConnection {
  /** Number that the owner gave it; 0 without one. */
  readonly label: number;
  /** Its flush was left for the next turn. */
  isPutOff: boolean;
  /** True while more replies are pending and there is too little output for a write of its own. */
  readonly isOwedReplies: boolean;
  flush(): void;
  resume(): void;
}

/** The round of the event loop that connections work in. */
interface ConnectionTurn {
  /** Counts the turns: two works with the same number share one turn. */
  readonly number: number;
  /** Called before bytes are processed: a turn of work has started. */
  begin(connection: TurnConnection): void;
  /** Called for a connection with something to flush at the turn's end. */
  dirty(connection: TurnConnection): void;
  /** Called for a connection that has used its share of the turn: `resume` is called in the next one. */
  later(connection: TurnConnection): void;
}

interface NetCounters {
  read(bytes: number): void;
  wrote(bytes: number): void;
  queryLimitExceeded(): void;
}
