/** Parts of a shard that know nothing of its keys. */

import { Arguments } from '#commands';
import { encodeMessage, FrameKind } from '#link';
import { ShardUsers } from '../access/shard-users.ts';
import { OpenSlots } from '../cluster/open-slots.ts';
import { ServedSlots } from '../cluster/served-slots.ts';
import { WaitingClients } from '../execution/blocked-clients.ts';
import { KeyEvents } from '../execution/key-events.ts';
import { CallAnswerers } from '../frames/call-answerers.ts';
import { ReplySender } from '../frames/reply-sender.ts';
import { KeyLocks } from '../multi-shard/key-locks.ts';
import { KeyUse } from '../observation/key-use.ts';
import { Slowness } from '../observation/slowness.ts';
import { Role } from '../replica/role.ts';
import { Settings } from '../settings/settings.ts';
import { IncrementalWork } from '../timed/incremental-work.ts';
import type { MachineOptions } from './machine-options.ts';
import type { MachineWays } from './machine-ways.ts';

export interface ShardLinks {
  readonly nowUs: () => number;
  readonly keyLocks: KeyLocks;
  /** True while the shard is stopped for a transaction or script. */
  readonly isStopped: () => boolean;
  readonly settings: Settings;
  readonly keyUse: KeyUse;
  readonly sender: ReplySender;
  readonly answerers: CallAnswerers;
  readonly role: Role;
  readonly users: ShardUsers;
  readonly slowness: Slowness;
  readonly openSlots: OpenSlots;
  readonly servedSlots: ServedSlots;
  readonly events: KeyEvents;
  readonly waitingClients: WaitingClients;
  /** Arguments of the current command. */
  readonly args: Arguments;
  readonly work: IncrementalWork;
}

export function newLinks(options: MachineOptions, ways: MachineWays): ShardLinks {
  const { index, page, clock, memory, replies, outlet, workspaceAt } = options;
  const nowUs = (): number => clock.nowUs();
  const keyLocks = new KeyLocks((frame) => {
    ways.dispatch(frame);
  });
  const sender = new ReplySender(memory, replies, outlet, workspaceAt, () => ways.settle());
  const role = new Role();
  const users = new ShardUsers(sender, page);
  const slowness = new Slowness(options, users);
  const openSlots = new OpenSlots(role, {
    redirected: (redirect) => {
      sender.sendAhead(FrameKind.redirected, encodeMessage(redirect));
    },
    isSecure: (connection) => slowness.isSecure(connection),
  });
  return {
    nowUs,
    keyLocks,
    isStopped: () => keyLocks.isStopped,
    settings: new Settings(options.settings),
    keyUse: new KeyUse(options),
    sender,
    answerers: new CallAnswerers(sender),
    role,
    users,
    slowness,
    openSlots,
    servedSlots: new ServedSlots(openSlots, role),
    events: new KeyEvents(sender, index === 0),
    waitingClients: new WaitingClients(),
    args: new Arguments(),
    work: new IncrementalWork(nowUs),
  };
}
