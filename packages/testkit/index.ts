export { Collector, type CollectorMode, type OtlpMetric, type OtlpSpan } from './collector.ts';
export { ApiDescription } from './api-description.ts';
export { answersPing } from './servers/answers-ping.ts';
export { ChildServer, freePort, launch } from './servers/child-server.ts';
export { Prometheus } from './servers/prometheus.ts';
export { EtcdMember, type EtcdMemberOptions } from './servers/etcd-member.ts';
export { SERVICES_VARIABLE, sharedService, type ServiceName } from './servers/shared-services.ts';
export { bytesPromoted } from './bytes-promoted.ts';
export { dial, isSecure } from './clients/dial.ts';
export { FakeClock } from './fake-clock.ts';
export { request, type HttpAnswer, type HttpAsking } from './clients/http-client.ts';
export { keyPerShard, keysOnShard } from './keys.ts';
export { largeValues } from './large-values.ts';
export { linearize, type Operation } from './linearizability.ts';
export { needs, programOrNone } from './needs.ts';
export { chosenSeed, everyThird, Random, withRandom } from './random.ts';
export { redisProgram, startRedis } from './servers/redis-server.ts';
export {
  encodeCommand,
  RespClient,
  talk,
  type ClientOptions,
  type Word,
} from './clients/resp-client.ts';
export {
  byName,
  Push,
  ReplyError,
  RespParser,
  textOf,
  Verbatim,
  type Reply,
} from './clients/resp-parser.ts';
export { withoutMemory } from './scarce-memory.ts';
export { randomCommands, SessionModel, StringModel, type Words } from './string-model.ts';
export { contentsOf, fill } from './contents.ts';
export { LinkProxy } from './servers/link-proxy.ts';
export { SmallDisk, ThinDisk } from './small-disk.ts';
export { letTimePass, untilShardsSleep } from './servers/server-time.ts';
export { mainFile, settingArguments, startServer, type ServerOptions } from './servers/server.ts';
export { Certificates, pem, serialOf, type Pair } from './tls/certificates.ts';
export { until } from './until.ts';
export { pointedAt } from './words.ts';
