/** DEBUG LOADAOF: reloads all keys from the snapshot and the log on disk. */

import { CommandError } from '#base';
import { installStates, KeyStateWriter, type Store } from '#store';
import { everyShard } from '../../definition/definition.ts';
import { walk } from '../../keyspace/scan/keys.ts';
import { allOk } from '../../definition/merge.ts';
import { disturbingHead } from './debug-head.ts';

const nothingKept = new CommandError('ERR nothing is kept on disk: persistence.enabled is no');

const PIECE_BYTES = 256 * 1024;

export const loadAof = everyShard({
  ...disturbingHead,
  name: 'DEBUG|LOADAOF',
  summary: 'Reloads all keys from the snapshot and the log on disk.',
  arity: 2,
  run(context) {
    if (context.readLog === undefined) throw nothingKept;
    const read = readNow(context.readLog);
    const { store } = context;
    for (const index of store.databases.keys()) store.clear(index);
    takeOver(store, read);
    return null;
  },
  merge: allOk,
});

function readNow(readLog: () => Store): Store {
  try {
    return readLog();
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    throw new CommandError(`ERR the log cannot be read, and all keys stay as they are: ${what}`);
  }
}

/** Puts all keys of one store into another, which has none. */
function takeOver(store: Store, read: Store): void {
  const writer = new KeyStateWriter();
  const handOn = (): void => {
    const [states, ...rest] = writer.pieces;
    installStates(store, states, rest);
    writer.clear();
  };
  for (const [database, keyspace] of read.databases.entries()) {
    walk(keyspace, (ref) => {
      writer.write(keyspace, ref, database);
      if (writer.length >= PIECE_BYTES) handOn();
    });
  }
  handOn();
}
