/** Frames that are no commands: what main tells a shard. */

import { assert, unreachable } from '#base';
import type { Page } from '#stats';
import {
  decodeControl,
  decodeMessage,
  FrameKind,
  Request,
  type Control,
  type FeedOrder,
} from '#link';
import type { Frame } from './frame.ts';
import type { FeedOrders } from '../feed/feed-orders.ts';
import type { KeyEvents } from './key-events.ts';
import type { CallAnswerers } from '../call-answerers.ts';
import type { Settings } from '../settings.ts';
import type { MainAsks } from '../scripts/main-asks.ts';
import type { Scripts } from '../scripts/scripts.ts';
import type { ShardUsers } from '../access/shard-users.ts';
import type { Slowness } from '../observation/slowness.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';
import type { Maintenance } from '../timed/maintenance.ts';
import type { Watches } from './watches.ts';

interface MessagesOptions {
  readonly page: Page;
  readonly settings: Settings;
  readonly slowness: Slowness;
  readonly users: ShardUsers;
  readonly answerers: CallAnswerers;
  readonly maintenance: Maintenance;
  readonly events: KeyEvents;
  readonly snapshots: Snapshots;
  readonly feedOrders: FeedOrders;
  readonly watches: Watches;
  readonly scripts: Scripts;
  readonly asks: MainAsks;
}

export class Messages {
  readonly #options: MessagesOptions;
  /** Main has said that it is over. */
  isStopped = false;

  constructor(options: MessagesOptions) {
    this.#options = options;
  }

  take(frame: Frame): void {
    const { words, word } = frame;
    switch (frame.kind) {
      case FrameKind.introduce:
        this.#options.slowness.introduce(frame);
        break;
      case FrameKind.call:
        this.#options.answerers.answer(frame);
        break;
      case FrameKind.snapshot:
        this.#options.snapshots.begin(
          words[word + Request.sequence]!,
          this.#options.scripts.libraries,
        );
        break;
      case FrameKind.feed:
        this.#options.feedOrders.obey(decodeMessage(frame.body) as FeedOrder);
        break;
      case FrameKind.rdb:
        this.#options.snapshots.grant(
          words[word + Request.connection]!,
          words[word + Request.sequence]!,
        );
        break;
      case FrameKind.leaveLog:
        this.#options.snapshots.leaveLog();
        break;
      case FrameKind.unwatch:
        this.#options.watches.forget(words[word + Request.connection]!);
        break;
      case FrameKind.script:
        this.#options.scripts.learnFrom(frame.body);
        break;
      case FrameKind.ask:
        this.#options.asks.take(frame);
        break;
      case FrameKind.control:
        this.#obey(decodeControl(frame.body));
        break;
      default:
        unreachable('a frame has a known kind');
    }
  }

  #obey(control: Control): void {
    const { settings, page, maintenance, events } = this.#options;
    switch (control.kind) {
      case 'settings':
        settings.update(control.values);
        break;
      case 'reset-bands':
        page.clearBands(control.generation);
        break;
      case 'pause':
        maintenance.isPaused = control.isOn;
        break;
      case 'tracking':
        events.isTracked = control.isOn;
        break;
      case 'watch-calls':
        this.#options.scripts.areCallsWatched = control.isOn;
        break;
      case 'forget-scripts':
        this.#options.scripts.forget(control.digest);
        break;
      case 'users':
        this.#options.users.update(control.rules);
        break;
      case 'stop':
        assert(!this.isStopped, 'a shard is stopped once');
        this.isStopped = true;
        break;
    }
  }
}
