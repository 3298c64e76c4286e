import winston from 'winston';

/** Constructor of winston's base class of transports. */
type TransportClass = new (options?: winston.transport.TransportStreamOptions) => winston.transport;

/** Base class of transports: winston exports it under this name, and types it under another. */
export const Transport = (winston as unknown as { readonly Transport: TransportClass }).Transport;
