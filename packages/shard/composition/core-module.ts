/** Things that every shard has, in the shape of a module: clients and their users, counts, settings, calls about all of it. */

import { assert, COMMAND_LOG_KINDS } from '#base';
import { Request } from '#link';
import {
  AT,
  commandLogCalls,
  HEAP,
  HOT_KEYS,
  keySampleCall,
  PROFILE,
  PURGE,
  REMOVED_KEYS,
  SCRIPT_STATS,
  SHARD_CONTENT,
  type ShardContent,
} from '#stats';
import type { CallAnswerers } from '../frames/call-answerers.ts';
import { PublishedAnswers } from '../frames/published-answers.ts';
import type { Frame } from '../frames/frame.ts';
import type { ControlTakers, FrameTakers, ShardModule } from '../modules/shard-module.ts';
import { sampleKeys } from '../observation/key-sample.ts';
import type { Settings } from '../settings/settings.ts';
import type { MachineOptions } from './machine-options.ts';
import type { ShardLinks } from './shard-links.ts';
import type { ExecutingParts } from './executing-parts.ts';

/** Most entries of a log that are published. */
const PUBLISHED_MAX = 128;

export class CoreModule implements ShardModule {
  readonly #options: MachineOptions;
  readonly #parts: ShardLinks & ExecutingParts;
  readonly frames: FrameTakers;
  readonly controls: ControlTakers;
  /** True after main has sent the end. */
  isStopped = false;
  #published: PublishedAnswers | undefined;

  constructor(options: MachineOptions, parts: ShardLinks & ExecutingParts) {
    this.#options = options;
    this.#parts = parts;
    this.frames = framesOf(parts);
    this.controls = {
      ...controlsOf(options, parts),
      stop: () => {
        assert(!this.isStopped, 'a shard is stopped once');
        this.isStopped = true;
      },
    };
  }

  answer(answerers: CallAnswerers): void {
    const { profiler, purge } = this.#options;
    const { maintenance, store, slowness, settings, keyUse, fates } = this.#parts;
    answerers.on(PROFILE, (question) => profiler.profile(question));
    answerers.on(HEAP, () => profiler.heap());
    answerers.on(PURGE, () => {
      const bytes = maintenance.purge();
      purge?.();
      return bytes;
    });
    answerers.on(keySampleCall, ({ count }) => sampleKeys(store, count));
    answerers.on(SHARD_CONTENT, (): ShardContent => {
      const keys = store.keyCount;
      const warmKeys = store.tier.keyCount;
      return { keys, hot_keys: keys - warmKeys, warm_keys: warmKeys };
    });
    for (const part of [slowness, settings, keyUse, fates]) part.answer(answerers);
    this.#publishAnswers(answerers);
  }

  #publishAnswers(answerers: CallAnswerers): void {
    const { answers } = this.#options;
    if (answers === undefined) return;
    const published = new PublishedAnswers(answers, answerers);
    for (const kind of COMMAND_LOG_KINDS) {
      published.add(commandLogCalls[kind].entries, { fromId: 0, count: PUBLISHED_MAX });
    }
    published.add(REMOVED_KEYS, { fromId: 0, count: PUBLISHED_MAX });
    published.add(HOT_KEYS, 'get');
    published.add(SCRIPT_STATS, null);
    this.#published = published;
  }

  showFigures(): void {
    const { executor } = this.#parts;
    const commands = this.#options.page.values[AT.commands]!;
    this.#published?.show(executor.nowUs, this.#options.clock.wallMs(), commands);
  }

  /** Behind the settings of all other modules, which what must go by a new limit depends on. */
  apply(settings: Settings): void {
    const { executor, maintenance, slowness, fates, keyUse, events } = this.#parts;
    executor.counts.unsettled.apply(settings);
    maintenance.apply(settings);
    slowness.apply(settings);
    fates.apply(settings);
    if (keyUse.apply(settings)) maintenance.countPrefixes(keyUse.prefixes.matcher);
    events.apply(settings);
    this.#options.journal?.apply(settings);
    this.#options.page.tracksLatency = settings.boolean('latency.tracking');
  }

  resetStatistics(): void {
    this.#options.page.resetStatistics();
    this.#parts.maintenance.resetStatistics();
  }
}

function framesOf(parts: ShardLinks & ExecutingParts): FrameTakers {
  const { slowness, answerers, watches } = parts;
  return {
    introduce: (frame) => {
      slowness.introduce(frame);
    },
    call: (frame) => {
      answerers.answer(frame);
    },
    stage: (frame) => {
      answerers.answerStage(frame);
    },
    unwatch: ({ words, word }: Frame) => {
      watches.forget(words[word + Request.connection]!);
    },
    refused: () => undefined,
  };
}

function controlsOf(options: MachineOptions, parts: ShardLinks & ExecutingParts): ControlTakers {
  const { settings, maintenance, events, users } = parts;
  return {
    settings: ({ values }) => {
      settings.update(values);
    },
    'reset-bands': ({ generation }) => {
      options.page.clearBands(generation);
    },
    pause: ({ isOn }) => {
      maintenance.isPaused = isOn;
    },
    tracking: ({ isOn }) => {
      events.isTracked = isOn;
    },
    users: ({ rules }) => {
      users.update(rules);
    },
  };
}
