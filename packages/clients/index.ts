export { Clients } from './clients.ts';
export { closesHttp } from './cross-protocol.ts';
export { ListeningPlaces, tcpPlaces, tlsOptions } from './listening-places.ts';
export { TlsCounts } from './tls-counts.ts';
export { readOutgoingTls, valuesOf } from './tls-files.ts';
