/** Documents of the HTTP API by path: the schemas of `/debug/openapi.json` are made of these types. */

import type { BundlesDocument } from './bundles.ts';
import type {
  ActionDone,
  ClientsKilled,
  HotKeysStart,
  KillClients,
  KillScript,
  LoginRequest,
  MonitorLines,
  MonitorReply,
  NoBody,
  ResetCommandLog,
  SettingChange,
  SettingChecked,
  ShutdownStarted,
  SnapshotStarted,
  StartMonitor,
  StopMonitor,
} from './actions.ts';
import type { AdminCluster, AdminNodes, AdminRole } from './servers/admin.ts';
import type { AdminHealth } from './health.ts';
import type { ClientsDocument } from './activity/clients.ts';
import type { ClusterDocument, ClusterNodeDocument, NoCluster } from './servers/cluster.ts';
import type { CommandsDocument } from './commands.ts';
import type { EventsDocument, HistoryDocument, HistorySeriesDocument } from './past/history.ts';
import type { FlightDocument, FlightKindsDocument } from './events/flight.ts';
import type { HotKeysDocument, HotWindowDocument } from './keys/hot-keys.ts';
import type { KeyFatesDocument } from './keys/key-fates.ts';
import type { LatencyDocument, LatencyHistoryDocument } from './latency.ts';
import type { LiveDocument } from './live.ts';
import type { LogsDocument } from './events/logs.ts';
import type { MemoryDocument, MemoryKeysDocument } from './storage/memory.ts';
import type { MetricsDocument } from './metrics.ts';
import type { OpenApiDocument } from './openapi.ts';
import type { PersistenceDocument } from './storage/persistence.ts';
import type { PrefixesDocument } from './keys/prefixes.ts';
import type { ProbeDocument } from './probe.ts';
import type { ReplicationDocument } from './servers/replication.ts';
import type { ScriptsDocument } from './scripts.ts';
import type { ServerDocument } from './servers/server.ts';
import type { SessionDocument } from './access/session.ts';
import type { SettingsDocument, SettingsFactsDocument } from './settings.ts';
import type { ShardStatsDocument } from './shard-stats.ts';
import type { SlowlogDocument } from './slow-log.ts';
import type { StatusDocument } from './status.ts';
import type { ThreadsDocument } from './threads.ts';
import type { TracesDocument } from './traces.ts';
import type { UsersDocument } from './access/users.ts';

/** Documents of GET requests. */
export interface ApiGets {
  '/health/live': ProbeDocument;
  '/healthz': ProbeDocument;
  '/health/ready': ProbeDocument;
  '/readyz': ProbeDocument;
  '/status/json': StatusDocument;
  '/admin/health': AdminHealth;
  '/admin/role': AdminRole;
  '/admin/cluster': AdminCluster;
  '/admin/nodes': AdminNodes;
  '/debug/openapi.json': OpenApiDocument;
  '/debug/api/bundle/list': BundlesDocument;
  '/debug/api/clients': ClientsDocument;
  '/debug/api/cluster': ServerDocument;
  '/debug/api/cluster/node/:id': ClusterNodeDocument;
  '/debug/api/cluster/overview': ClusterDocument | NoCluster;
  '/debug/api/commands': CommandsDocument;
  '/debug/api/config': SettingsDocument;
  '/debug/api/config/defaults': SettingsFactsDocument;
  '/debug/api/events': EventsDocument;
  '/debug/api/flight-recorder': FlightDocument;
  '/debug/api/flight-recorder/kinds': FlightKindsDocument;
  '/debug/api/history': HistoryDocument;
  '/debug/api/history/series': HistorySeriesDocument;
  '/debug/api/hotkeys': HotKeysDocument;
  '/debug/api/hotkeys/window': HotWindowDocument;
  '/debug/api/key-fates': KeyFatesDocument;
  '/debug/api/latency': LatencyDocument;
  '/debug/api/latency/history': LatencyHistoryDocument;
  '/debug/api/live': LiveDocument;
  '/debug/api/logs': LogsDocument;
  '/debug/api/memory': MemoryDocument;
  '/debug/api/memory/keys': MemoryKeysDocument;
  '/debug/api/metrics': MetricsDocument;
  '/debug/api/persistence': PersistenceDocument;
  '/debug/api/prefixes': PrefixesDocument;
  '/debug/api/replication': ReplicationDocument;
  '/debug/api/scripts': ScriptsDocument;
  '/debug/api/server': ServerDocument;
  '/debug/api/session': SessionDocument;
  '/debug/api/shard-stats': ShardStatsDocument;
  '/debug/api/slowlog': SlowlogDocument;
  '/debug/api/threads': ThreadsDocument;
  '/debug/api/traces': TracesDocument;
  '/debug/api/users': UsersDocument;
}

/** Bodies of a POST: of the request, and of the response. */
interface Post<Request, Response> {
  request: Request;
  response: Response;
}

/** Bodies of POST requests. */
export interface ApiPosts {
  '/admin/shutdown': Post<NoBody, ShutdownStarted>;
  '/admin/snapshot': Post<NoBody, SnapshotStarted>;
  '/debug/login': Post<LoginRequest, ActionDone>;
  '/debug/api/clients/kill': Post<KillClients, ClientsKilled>;
  '/debug/api/config/check': Post<SettingChange, SettingChecked>;
  '/debug/api/config/set': Post<SettingChange, ActionDone>;
  '/debug/api/hotkeys/reset': Post<NoBody, ActionDone>;
  '/debug/api/hotkeys/start': Post<HotKeysStart, ActionDone>;
  '/debug/api/hotkeys/stop': Post<NoBody, ActionDone>;
  '/debug/api/key-fates/reset': Post<NoBody, ActionDone>;
  '/debug/api/latency/reset': Post<NoBody, ActionDone>;
  '/debug/api/monitor/lines': Post<MonitorLines, MonitorReply>;
  '/debug/api/monitor/start': Post<StartMonitor, MonitorReply>;
  '/debug/api/monitor/stop': Post<StopMonitor, MonitorReply>;
  '/debug/api/scripts/kill': Post<KillScript, ActionDone>;
  '/debug/api/slowlog/reset': Post<ResetCommandLog, ActionDone>;
  '/debug/api/snapshot': Post<NoBody, ActionDone>;
}
