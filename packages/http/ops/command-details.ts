/** Key and script of the command that a shard executes, read from its page: needs the table of commands. */

import { readable } from '#base';
import type { LinkMemory } from '#link';
import { executingIn, scriptIn } from '#observer';
import type { Page } from '#stats';
import type { CommandDetails } from './shard-watch.ts';

export function commandDetails(page: Page, memory: LinkMemory): CommandDetails {
  const key = executingIn(page, memory, 0)?.key ?? null;
  return { key: key === null ? null : readable(key), script: scriptIn(page, memory) };
}
