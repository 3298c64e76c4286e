/** Components on which everything else in a shard's machine stands. */

import { Arguments } from '#commands';
import { encodeMessage, FrameKind } from '#link';
import { Store } from '#store';
import { ExecutionContext } from '../execution/context.ts';
import { Effects } from '../execution/effects.ts';
import { Feed } from '../feed/feed.ts';
import { KeyEvents } from '../execution/key-events.ts';
import { KeyUse } from '../observation/key-use.ts';
import type { MachineOptions } from './machine-options.ts';
import { ownChanges } from '../execution/store-events.ts';
import { CallAnswerers } from '../frames/call-answerers.ts';
import { ReplySender } from '../frames/reply-sender.ts';
import { Settings } from '../settings/settings.ts';
import { ShardUsers } from '../access/shard-users.ts';
import { OpenSlots } from '../cluster/open-slots.ts';
import { ServedSlots } from '../cluster/served-slots.ts';
import { Role } from '../replica/role.ts';
import { StagedData } from '../snapshot/staged-data.ts';
import { Slowness } from '../observation/slowness.ts';
import { OwnExpiry } from '../replica/own-expiry.ts';
import { Snapshots } from '../snapshot/snapshots.ts';
import type { KeyLocks } from '../multi-shard/key-locks.ts';
import { IncrementalWork } from '../timed/incremental-work.ts';
import { Maintenance } from '../timed/maintenance.ts';
import { WaitingClients } from '../execution/blocked-clients.ts';
import { Watches } from '../execution/watches.ts';
import { FetchTimes } from '../warm/fetch-times.ts';
import { TierPage } from '../warm/tier-page.ts';
import { WarmValues } from '../warm/warm-values.ts';
import { WorkingSet } from '../warm/working-set.ts';

export class MachineComponents {
  readonly settings: Settings;
  readonly keyUse: KeyUse;
  readonly sender: ReplySender;
  readonly answerers: CallAnswerers;
  readonly users: ShardUsers;
  readonly slowness: Slowness;
  readonly events: KeyEvents;
  readonly store: Store;
  readonly watches: Watches;
  readonly waitingClients = new WaitingClients();
  /** Arguments of the command at hand. */
  readonly args = new Arguments();
  readonly work: IncrementalWork;
  readonly context: ExecutionContext;
  readonly snapshots: Snapshots;
  readonly ownExpiry: OwnExpiry;
  readonly feed: Feed;
  readonly effects: Effects;
  readonly maintenance: Maintenance;
  readonly role = new Role();
  readonly openSlots: OpenSlots;
  readonly servedSlots: ServedSlots;
  readonly staged: StagedData;
  readonly fetchTimes = new FetchTimes();
  readonly workingSet = new WorkingSet();
  /** True while the shard stands still for one transaction or script. */
  readonly isStopped: () => boolean;
  /** Undefined without a warm tier. */
  readonly warmValues: WarmValues | undefined;

  /** `settle` is called before main may see replies; it is the machine's, since what is settled has been executed. */
  // eslint-disable-next-line max-lines-per-function -- wiring: a line for each property
  constructor(options: MachineOptions, keyLocks: KeyLocks, settle: () => boolean) {
    const { index, journal, page } = options;
    this.isStopped = () => keyLocks.isStopped;
    this.settings = new Settings(options.settings);
    this.keyUse = new KeyUse(options);
    this.sender = new ReplySender(
      options.memory,
      options.replies,
      options.outlet,
      options.workspaceAt,
      settle,
    );
    this.openSlots = new OpenSlots(this.role, {
      redirected: (redirect) => {
        this.sender.sendAhead(FrameKind.redirected, encodeMessage(redirect));
      },
      isSecure: (connection) => this.slowness.isSecure(connection),
    });
    this.servedSlots = new ServedSlots(this.openSlots, this.role);
    this.answerers = new CallAnswerers(this.sender);
    this.users = new ShardUsers(this.sender, page);
    this.slowness = new Slowness(options, this.users);
    this.events = new KeyEvents(this.sender, index === 0);
    const databases = this.settings.number('server.databases');
    const { seed, random } = options;
    const countsSlots = this.settings.boolean('cluster.enabled');
    this.store = new Store({ databases, seed, random, countsSlots });
    const { store, settings, events, keyUse, waitingClients } = this;
    this.watches = new Watches(store);
    this.ownExpiry = new OwnExpiry(store);
    store.endSet = (...key) => {
      this.ownExpiry.changed(...key);
    };
    this.context = new ExecutionContext({
      ...options,
      store,
      settings,
      events,
      keyUse,
      waitingClients,
      users: this.users,
      shardIndex: index,
      reply: this.sender.writer,
      watches: this.watches,
      isKept: (name) => keyLocks.isKept(name),
      role: this.role,
    });
    this.staged = new StagedData({
      store,
      settings,
      context: this.context,
      ownExpiry: this.ownExpiry,
    });
    const nowUs = (): number => options.clock.nowUs();
    this.work = new IncrementalWork(nowUs);
    const { sender } = this;
    this.snapshots = new Snapshots({
      shardCount: options.shardCount,
      store,
      journal,
      outlet: options.snapshots,
      sender,
      page,
      nowUs,
    });
    this.feed = new Feed(sender);
    this.effects = new Effects({
      store,
      feed: this.feed,
      context: this.context,
      journal,
      shardIndex: index,
      freeze: this.snapshots.freeze,
      args: this.args,
    });
    const { context, effects } = this;
    store.events = ownChanges({ store, context, events, effects, shardIndex: index, page });
    const { tier } = options;
    store.tier.outlet = tier ?? options.localTier;
    const times = this.fetchTimes;
    const tierPage =
      tier &&
      new TierPage({ store, page, times, figures: tier.figures, workingSet: this.workingSet });
    if (tier !== undefined) {
      this.warmValues = new WarmValues({ store, link: tier, times, nowUs });
    }
    const { work } = this;
    const { freeze } = this.snapshots;
    this.maintenance = new Maintenance({
      ...options,
      store,
      slowness: this.slowness,
      role: this.role,
      ownExpiry: this.ownExpiry,
      isStopped: this.isStopped,
      isReading: () => work.isActive || freeze.isReading,
      tierPage,
    });
  }
}
