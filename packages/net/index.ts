export { BlockPool } from './blocks.ts';
export { EpollLoop, type EpollParts } from './epoll/epoll-loop.ts';
export { EpollSockets } from './epoll/epoll-sockets.ts';
export { loadEpoll, openLoop } from './epoll/open-loop.ts';
export { LibuvLoop } from './epoll/libuv-loop.ts';
export type { ThreadLoop } from './epoll/thread-loop.ts';
export { NodeSockets } from './node-sockets.ts';
export type { PlainSockets } from './plain-sockets.ts';
export { Connection } from './connection.ts';
export { addressText } from './ends.ts';
export { FrontLink } from './front/front-link.ts';
export { Fronts } from './front/fronts.ts';
export {
  runFrontThread,
  type FrontAnswer,
  type FrontThreadData,
} from './front/run-front-thread.ts';
export { demandPlaces, Listener, type TcpPlaces } from './listener.ts';
export { ReplyConnection } from './outgoing/reply-connection.ts';
export type { ConnectionOwner, ConnectionConfig, Taking, TurnConnection } from './ports.ts';
export { openUnixDatagrams } from './unix-datagrams.ts';
export type { Sink, Transport, TransportEvents } from './transport.ts';
export { askReadiness, pingReadiness, type HttpPlace } from './outgoing/ask-readiness.ts';
export { httpGet } from './outgoing/http-get.ts';
export { connectSecurelyTo, connectTo, failedConnection } from './outgoing/connect-to.ts';
export type { ReadBuffer } from './socket-transport.ts';
export {
  contextOptions,
  demandUsable,
  tlsReason,
  type ClientCertificates,
  type TlsOptions,
} from './tls/tls-options.ts';
export type { TlsFailure, TlsInfo } from './tls/tls-server.ts';
export { ClientLoop } from './epoll/client-loop.ts';
export { connectToPlace, placeText, type ServerPlace } from './outgoing/server-place.ts';
export { ReplyClient } from './outgoing/reply-client.ts';
export {
  readAddress,
  readCertificates,
  readGiven,
  readLogin,
  readPort,
  readToolTls,
  type ToolCertificates,
} from './outgoing/tool-options.ts';
