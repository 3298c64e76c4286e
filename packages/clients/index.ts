export { clientsModule } from './clients-module.ts';
export { Clients } from './clients.ts';
export { closesHttp } from './cross-protocol.ts';
export { ClientListeners, tcpPlaces, tlsOptions } from './client-listeners.ts';
export { TlsCounts } from './tls-counts.ts';
export { readOutgoingTls, valuesOf } from './tls-files.ts';
