/** The memory that all threads share, as any of them sees the others through it. Nothing is written here. */

import { commandTable } from '#commands';
import { Page, type PageShape } from '#diag';
import { layoutOf, LinkMemory, type LinkLayout, type LinkShape, type SharedMemory } from '#link';

/** What a thread must be given to see the others; may be cloned to it. */
export interface SightData {
  readonly link: LinkShape;
  readonly memory: WebAssembly.Memory;
  readonly pageShape: PageShape;
  readonly mainPage: SharedMemory;
  readonly shardPages: readonly SharedMemory[];
}

export class Sight {
  readonly memory: LinkMemory;
  readonly layout: LinkLayout;
  readonly shape: PageShape;
  readonly main: Page;
  readonly shards: readonly Page[];
  /** By the ids that pages count by, as `client|list`. */
  readonly commandNames: readonly string[];

  constructor(data: SightData) {
    this.memory = new LinkMemory(data.memory);
    this.layout = layoutOf(data.link);
    this.shape = data.pageShape;
    this.main = new Page(data.pageShape, data.mainPage);
    this.shards = data.shardPages.map((page) => new Page(data.pageShape, page));
    this.commandNames = commandNames();
  }
}

/** By the ids that pages and traces know commands by, as `client|list`. */
export function commandNames(): readonly string[] {
  return commandTable.entries.map(({ lowerName }) => lowerName);
}
