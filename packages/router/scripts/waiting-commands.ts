/**
 * Commands that were sent to a shard before its script had run for too long, and wait behind it. They are answered BUSY as
 * those are that come later; in the ring each becomes a frame that says nothing. The shard is held meanwhile, so that it
 * takes none of them at the same time.
 *
 * A part of a command of several shards is answered BUSY for the whole, where the others' parts change nothing. What writes
 * on several shards, agrees with others about its keys or waits for a script that runs alone stays: another shard may have
 * done a part.
 */

import type { Clock } from '#base';
import { type CommandEntry, commandTable } from '#commands';
import { FrameKind, KIND_MASK, Request, RequestFlag, type ScriptControl, TRANSFERRED } from '#link';
import type { ClientRegistry } from '../clients/client-registry.ts';
import type { Answers } from '../replies/answers.ts';
import type { Gather } from '../replies/gather.ts';
import type { Gathers } from '../replies/gathers.ts';
import type { ShardLink } from '../shards/shard-link.ts';
import type { BusyScripts } from './busy-scripts.ts';

/** Between two looks while a script is busy: commands that were not sent yet may have been since. */
const LOOK_MS = 100;

/** Flags of frames that are left as they are. */
const LEFT_FLAGS =
  TRANSFERRED |
  RequestFlag.mute |
  RequestFlag.passesBarrier |
  RequestFlag.again |
  RequestFlag.traced |
  RequestFlag.exclusive;

const WATCH = commandTable.byName('WATCH');

interface WaitingCommandsOptions {
  readonly links: readonly ShardLink[];
  readonly controls: readonly ScriptControl[];
  readonly busy: BusyScripts;
  readonly clientRegistry: ClientRegistry;
  readonly answers: Answers;
  readonly gathers: Gathers;
  readonly clock: Clock;
  thresholdMs(): number;
  /** Starts a turn for work that arose outside of one. */
  beginTurn(): void;
}

export class WaitingCommands {
  readonly #options: WaitingCommandsOptions;
  #timer: NodeJS.Timeout | undefined;
  #isDue = false;

  constructor(options: WaitingCommandsOptions) {
    this.#options = options;
  }

  /** A command that runs a script was sent. */
  scriptSent(): void {
    if (this.#timer === undefined) this.#wakeIn(this.#options.thresholdMs());
  }

  /** Replies to waiting commands, if a check is due. */
  answer(): void {
    if (!this.#isDue) return;
    this.#isDue = false;
    const { links, controls, busy } = this.#options;
    for (const [shard, control] of controls.entries()) {
      if (!busy.isBusy(shard)) continue;
      const place = control.hold();
      if (place < 0) continue;
      this.#refuseBehind(links[shard]!, place);
      control.release();
    }
  }

  #wakeIn(ms: number): void {
    if (ms <= 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#wake();
    }, ms);
    this.#timer.unref();
  }

  #wake(): void {
    const { busy, clock, clientRegistry } = this.#options;
    const nowUs = clock.nowUs();
    busy.look(nowUs);
    if (busy.isAny) {
      this.#isDue = true;
      this.#wakeIn(LOOK_MS);
      this.#options.beginTurn();
      return;
    }
    const thresholdMs = this.#options.thresholdMs();
    const longestMs = busy.longestUs(nowUs) / 1_000;
    if (longestMs > 0) this.#wakeIn(Math.max(1, Math.ceil(thresholdMs - longestMs)));
    // A script may have been sent that waits for its turn.
    else if (clientRegistry.isBusy) this.#wakeIn(thresholdMs);
  }

  #refuseBehind(link: ShardLink, place: number): void {
    const { clientRegistry, answers, busy, gathers } = this.#options;
    const { memory } = link.requests;
    const { words } = memory;
    for (const at of link.requests.behind(place)) {
      const word = at >> 2;
      const kind = words[word + Request.kind]!;
      if ((kind & LEFT_FLAGS) !== 0) continue;
      const entry = commandTable.entries[words[word + Request.command]!]!;
      const client = clientRegistry.inSlot(words[word + Request.connection]!);
      if (client === undefined || client.roles.isPrimary) continue;
      const sequence = words[word + Request.sequence]! >>> 0;
      switch (kind & KIND_MASK) {
        case FrameKind.command:
          if (entry.route !== 'oneShard' || entry === WATCH) continue;
          answers.refuseSent(client, entry, sequence, busy.refusal);
          break;
        case FrameKind.part:
        case FrameKind.share:
          if (!this.#refusePart(link.index, entry, gathers.of(client.slot, sequence))) continue;
          break;
        default:
          continue;
      }
      words[word + Request.kind] = (kind & ~KIND_MASK) | FrameKind.refused;
    }
  }

  /** Replies for a shard's part of a command; false if the command stays, since another shard may have written. */
  #refusePart(shard: number, entry: CommandEntry, gather: Gather): boolean {
    const { gathers, answers, busy } = this.#options;
    const isOfThisShard = gather.shardCount === 1 && entry.route === 'byKey';
    if (entry.mayChange && !isOfThisShard) return false;
    if (gather.refuse(shard, busy.refusal)) {
      gathers.end(gather);
      answers.finish(gather);
    }
    return true;
  }
}
