import type { Command } from '../definition/definition.ts';
import { databases } from './database.ts';
import { keyDumping } from './dump/dump.ts';
import { keyExpiry } from './expiry/expire.ts';
import { keyInspection } from './inspect.ts';
import { keyListing } from './scan/keys.ts';
import { keyRemoval } from './remove.ts';
import { keyMoving } from './rename.ts';
import { keyMigration } from './migrate/migrate.ts';
import { keyScanning } from './scan/scan.ts';
import { keyLifetimes } from './expiry/ttl.ts';

export const keyspaceCommands: readonly Command[] = [
  ...keyRemoval,
  ...keyInspection,
  ...keyExpiry,
  ...keyLifetimes,
  ...keyListing,
  ...keyScanning,
  ...keyMoving,
  ...keyDumping,
  ...keyMigration,
  ...databases,
];
