/** Snapshots of a shard, its full synchronisations, and data of a primary that come in one. */

import type { LibraryDetails } from '#commands';
import { Request } from '#link';
import { movedKeysCall } from '#stats';
import type { KeyEvents } from '../execution/key-events.ts';
import type { CallAnswerers } from '../frames/call-answerers.ts';
import type { Frame } from '../frames/frame.ts';
import type { FrameTakers, ShardModule, ShardSlices } from '../modules/shard-module.ts';
import type { Settings } from '../settings/settings.ts';
import type { Snapshots } from './snapshots.ts';
import type { StagedData } from './staged-data.ts';

interface SnapshotModuleOptions {
  readonly snapshots: Snapshots;
  readonly staged: StagedData;
  readonly events: KeyEvents;
  /** Libraries of functions, which are a part of each snapshot. */
  readonly scripts: { readonly libraries: readonly LibraryDetails[] };
}

export class SnapshotModule implements ShardModule {
  readonly #options: SnapshotModuleOptions;
  readonly slices: ShardSlices;
  readonly frames: FrameTakers;

  constructor(options: SnapshotModuleOptions) {
    const { snapshots, staged, events, scripts } = options;
    this.#options = options;
    this.slices = snapshots;
    this.frames = {
      snapshot: (frame) => {
        snapshots.begin(sequenceOf(frame), scripts.libraries);
      },
      rdb: (frame) => {
        snapshots.grant(frame.words[frame.word + Request.connection]!, sequenceOf(frame));
      },
      leaveLog: () => {
        snapshots.leaveLog();
      },
      adopt: () => {
        events.begin();
        staged.adopt();
      },
    };
  }

  answer(answerers: CallAnswerers): void {
    const { snapshots, staged } = this.#options;
    answerers.on(movedKeysCall, () => snapshots.movedKeys);
    staged.answer(answerers);
  }

  apply(settings: Settings): void {
    this.#options.snapshots.delayKeys(settings.number('snapshot.key-save-delay-us'));
  }
}

function sequenceOf({ words, word }: Frame): number {
  return words[word + Request.sequence]!;
}
