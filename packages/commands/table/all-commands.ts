/** All commands. */

import { aclCommands } from '../acl/index.ts';
import { bitmapCommands } from '../bitmap/index.ts';
import { clusterCommands } from '../cluster/index.ts';
import { connectionCommands } from '../connection/index.ts';
import { diagnosticsCommands } from '../diagnostics/index.ts';
import { geoCommands } from '../geo/index.ts';
import { hashCommands } from '../hash/index.ts';
import { hyperloglogCommands } from '../hyperloglog/index.ts';
import { keyspaceCommands } from '../keyspace/index.ts';
import { listCommands } from '../list/index.ts';
import { pubSubCommands } from '../pubsub/index.ts';
import { scriptCommands } from '../script/index.ts';
import { serverCommands } from '../server/index.ts';
import { setCommands } from '../set/index.ts';
import { sortCommands } from '../sort/index.ts';
import { sortedSetCommands } from '../sorted-set/index.ts';
import { streamCommands } from '../stream/index.ts';
import { stringCommands } from '../string/index.ts';
import { transactionCommands } from '../transaction/index.ts';
import { CommandTable } from '../definition/command-table.ts';

export const commandTable = new CommandTable([
  ...connectionCommands,
  ...stringCommands,
  ...bitmapCommands,
  ...hyperloglogCommands,
  ...hashCommands,
  ...setCommands,
  ...listCommands,
  ...sortedSetCommands,
  ...streamCommands,
  ...geoCommands,
  ...sortCommands,
  ...keyspaceCommands,
  ...pubSubCommands,
  ...serverCommands,
  ...transactionCommands,
  ...scriptCommands,
  ...diagnosticsCommands,
  ...aclCommands,
  ...clusterCommands,
]);
