/** Frames that are no commands: what main tells a shard. */

import { assert, unreachable } from '#base';
import type { Page } from '#stats';
import {
  type Control,
  decodeControl,
  decodeMessage,
  type FeedOrder,
  FrameKind,
  Request,
} from '#link';
import type { Frame } from '../frames/frame.ts';
import type { MachineComponents } from './machine-components.ts';
import type { FeedOrders } from './feed-orders.ts';
import type { MainAsks } from '../scripts/main-asks.ts';
import type { Scripts } from '../scripts/scripts.ts';

interface MessagesOptions {
  readonly page: Page;
  readonly feedOrders: FeedOrders;
  readonly scripts: Scripts;
  readonly asks: MainAsks;
  readonly base: Pick<
    MachineComponents,
    | 'settings'
    | 'slowness'
    | 'users'
    | 'answerers'
    | 'maintenance'
    | 'events'
    | 'snapshots'
    | 'watches'
    | 'role'
    | 'openSlots'
    | 'servedSlots'
    | 'keyUse'
    | 'staged'
    | 'store'
  >;
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
        this.#options.base.slowness.introduce(frame);
        break;
      case FrameKind.call:
        this.#options.base.answerers.answer(frame);
        break;
      case FrameKind.stage:
        this.#options.base.answerers.answerStage(frame);
        break;
      case FrameKind.snapshot:
        this.#options.base.snapshots.begin(
          words[word + Request.sequence]!,
          this.#options.scripts.libraries,
        );
        break;
      case FrameKind.feed:
        this.#options.feedOrders.obey(decodeMessage(frame.body) as FeedOrder);
        break;
      case FrameKind.rdb:
        this.#options.base.snapshots.grant(
          words[word + Request.connection]!,
          words[word + Request.sequence]!,
        );
        break;
      case FrameKind.leaveLog:
        this.#options.base.snapshots.leaveLog();
        break;
      case FrameKind.adopt:
        this.#options.base.events.begin();
        this.#options.base.staged.adopt();
        break;
      case FrameKind.unwatch:
        this.#options.base.watches.forget(words[word + Request.connection]!);
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
    const { page } = this.#options;
    const { settings, maintenance, events } = this.#options.base;
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
      case 'role':
        this.#options.base.role.change(control.isReplica, control.primary);
        maintenance.roleChanged();
        break;
      case 'lacks-replicas':
        this.#options.base.role.hasFewReplicas = control.isSo;
        break;
      case 'stale':
        this.#options.base.role.isStale = control.isSo;
        break;
      case 'open-slots':
        this.#options.base.openSlots.update(control.rules);
        break;
      case 'served-slots':
        this.#options.base.servedSlots.update(control.served);
        this.#forgetSlots();
        break;
      case 'moving-slots':
        this.#options.base.store.hideSlots(control.hidden);
        this.#options.base.role.importers = new Set(control.importers);
        break;
      case 'users':
        this.#options.base.users.update(control.rules);
        break;
      case 'stop':
        assert(!this.isStopped, 'a shard is stopped once');
        this.isStopped = true;
        break;
    }
  }

  /** Drops what was counted of slots that are another node's now. */
  #forgetSlots(): void {
    const { servedSlots, keyUse } = this.#options.base;
    keyUse.slots.keep((slot) => servedSlots.hasHere(slot));
  }
}
