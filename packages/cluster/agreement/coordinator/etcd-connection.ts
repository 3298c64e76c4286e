/**
 * Connection to one member of an etcd at a time. A call or a stream that fails for want of the member closes the connection, with
 * all streams on it, and the next call opens one to the next endpoint. There is no breaker and no wait between tries: callers
 * decide when they try again.
 */

import {
  Client,
  credentials,
  Metadata,
  status,
  type ChannelCredentials,
  type ClientDuplexStream,
  type MethodDefinition,
  type ServiceDefinition,
  type ServiceError,
} from '@grpc/grpc-js';
import { fromJSON } from '@grpc/proto-loader';
import { systemClock } from '#base';
import { CoordinatorError } from './coordinator.ts';
import { etcdSchema, type AuthenticateResponse } from './etcd-schema.ts';

export interface EtcdConnectionOptions {
  readonly endpoints: readonly string[];
  readonly username: string;
  readonly password: string;
  readonly tls: EtcdTls | undefined;
  /** Longest wait for a reply. */
  readonly timeoutMs: number;
}

/** Certificates towards etcd, as PEM. */
export interface EtcdTls {
  readonly ca: Buffer;
  readonly key?: Buffer;
  readonly cert?: Buffer;
}

/** Methods with one request and one reply. */
export type EtcdCall =
  'KV/Range' | 'KV/Txn' | 'Lease/LeaseGrant' | 'Lease/LeaseRevoke' | 'Auth/Authenticate';
/** Methods with a stream in both directions. */
type EtcdStreamCall = 'Watch/Watch' | 'Lease/LeaseKeepAlive';

/** Receiver of what comes by a stream. */
interface EtcdStreamSink {
  received(reply: unknown): void;
  /** The stream has failed, or was closed with its connection; nothing comes by it any more. */
  failed(error: unknown): void;
}

/** A stream in both directions. */
export interface EtcdStream {
  /** True when nothing comes by it any more. */
  readonly isOver: boolean;
  send(request: object): void;
  /** Gives the member up: the stream fails with that reason, and the next endpoint is used from now on. */
  abandon(reason: string): void;
  /** Ends the stream without a call of its sink. */
  end(): void;
}

/** Connection to an endpoint, with the streams on it. */
interface Channel {
  readonly client: Client;
  readonly streams: Set<OpenStream>;
}

const CHANNEL_OPTIONS = {
  // Each connection is new and has no memory of failures before it.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_channelz': 0,
  'grpc.enable_retries': 0,
  'grpc.max_receive_message_length': -1,
};

/** Statuses that are the member's fault: another may do better. */
const MEMBER_FAULTS: ReadonlySet<number> = new Set([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  status.INTERNAL,
  status.UNKNOWN,
  status.CANCELLED,
]);

/** Errors of etcd for an unusable token: it has expired, or was issued before authentication was enabled. */
const TOKEN_FAULT = /invalid auth token|user name is empty|revision of auth store is old/;

export class EtcdConnection {
  readonly #options: EtcdConnectionOptions;
  readonly #methods: ReadonlyMap<string, MethodDefinition<object, unknown>>;
  #channel: Channel | undefined;
  #endpointIndex = 0;
  /** Token of the current login; undefined before the first, and after the last one has expired. */
  #login: Promise<string> | undefined;
  /** Token that the latest login has brought. */
  #lastToken = '';
  #isClosed = false;

  constructor(options: EtcdConnectionOptions) {
    this.#options = options;
    this.#methods = methodsOf(etcdSchema);
  }

  /** Calls a method; with an expired token it logs in, and calls again. */
  async call<Reply>(name: EtcdCall, request: object): Promise<Reply> {
    const deadline = this.#deadline();
    const token = await this.#token(deadline);
    try {
      return (await this.#once(name, request, token, deadline)) as Reply;
    } catch (error) {
      if (token === undefined || !isTokenFault(error)) throw error;
      this.#forget(token);
      return (await this.#once(name, request, await this.#token(deadline), deadline)) as Reply;
    }
  }

  /** Opens a stream, which the member ends by itself when it knows no leader of the etcd. */
  async open(name: EtcdStreamCall, sink: EtcdStreamSink): Promise<EtcdStream> {
    const token = await this.#token(this.#deadline());
    const channel = this.#open();
    const method = this.#method(name);
    const metadata = metadataOf(token);
    metadata.set('hasleader', 'true');
    const { path, requestSerialize, responseDeserialize } = method;
    const call = channel.client.makeBidiStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      metadata,
    );
    const stream = new OpenStream(call, {
      received: (reply) => {
        sink.received(reply);
      },
      failed: (error) => {
        channel.streams.delete(stream);
        if (isTokenFault(error)) this.expired(token);
        else this.#giveUp(channel);
        sink.failed(error);
      },
      ended: () => {
        channel.streams.delete(stream);
      },
    });
    channel.streams.add(stream);
    return stream;
  }

  /** Has the next call log in again; true when there is a login that this can mend. */
  expired(token?: string): boolean {
    if (this.#options.username === '') return false;
    this.#forget(token);
    return true;
  }

  close(): void {
    this.#isClosed = true;
    if (this.#channel !== undefined) this.#giveUp(this.#channel);
  }

  #once(
    name: EtcdCall,
    request: object,
    token: string | undefined,
    deadline: number,
  ): Promise<unknown> {
    const { path, requestSerialize, responseDeserialize } = this.#method(name);
    const channel = this.#open();
    return new Promise((resolve, reject) => {
      channel.client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        metadataOf(token),
        { deadline },
        (error, reply) => {
          if (error === null) {
            resolve(reply);
            return;
          }
          if (MEMBER_FAULTS.has(error.code)) this.#giveUp(channel);
          reject(error);
        },
      );
    });
  }

  /** Moment of the wall clock at which a call that starts now has waited too long. */
  #deadline(): number {
    return systemClock.wallMs() + this.#options.timeoutMs;
  }

  #method(name: string): MethodDefinition<object, unknown> {
    return this.#methods.get(name)!;
  }

  /** Returns the open connection, or opens one. */
  #open(): Channel {
    if (this.#isClosed) throw new CoordinatorError('the connection to etcd is closed');
    const { endpoints, tls } = this.#options;
    this.#channel ??= {
      client: newClient(endpoints[this.#endpointIndex % endpoints.length]!, tls),
      streams: new Set(),
    };
    return this.#channel;
  }

  /** Closes a connection; the next call goes to the next endpoint. */
  #giveUp(channel: Channel): void {
    if (this.#channel !== channel) return;
    this.#channel = undefined;
    this.#endpointIndex += 1;
    for (const stream of [...channel.streams]) stream.abandon('the connection was closed');
    channel.client.close();
  }

  /** Returns the token of the login; undefined without a user. */
  async #token(deadline: number): Promise<string | undefined> {
    if (this.#options.username === '') return undefined;
    const login = (this.#login ??= this.#authenticate(deadline));
    try {
      return await login;
    } catch (error) {
      if (this.#login === login) this.#login = undefined;
      throw error;
    }
  }

  /** Logs in; the token is empty where etcd needs no passwords. */
  async #authenticate(deadline: number): Promise<string> {
    const { username: name, password } = this.#options;
    try {
      const login = { name, password };
      const reply = await this.#once('Auth/Authenticate', login, undefined, deadline);
      return (this.#lastToken = (reply as AuthenticateResponse).token);
    } catch (error) {
      if (!/authentication is not enabled/.test(reasonOf(error))) throw error;
      return (this.#lastToken = '');
    }
  }

  /** Drops the login, but not one that is newer than that token. */
  #forget(token = this.#lastToken): void {
    if (token === this.#lastToken) this.#login = undefined;
  }
}

interface OpenStreamSink extends EtcdStreamSink {
  ended(): void;
}

class OpenStream implements EtcdStream {
  readonly #call: ClientDuplexStream<object, unknown>;
  readonly #sink: OpenStreamSink;
  isOver = false;

  constructor(call: ClientDuplexStream<object, unknown>, sink: OpenStreamSink) {
    this.#call = call;
    this.#sink = sink;
    call.on('data', (reply: unknown) => {
      if (!this.isOver) sink.received(reply);
    });
    call.on('error', (error) => {
      this.#fail(error);
    });
    call.on('end', () => {
      this.#fail(new CoordinatorError('the stream was ended'));
    });
  }

  send(request: object): void {
    if (!this.isOver) this.#call.write(request);
  }

  abandon(reason: string): void {
    if (this.isOver) return;
    this.#fail(new CoordinatorError(reason));
    this.#call.cancel();
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#sink.ended();
    this.#call.cancel();
  }

  #fail(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#sink.failed(error);
  }
}

function methodsOf(schema: object): ReadonlyMap<string, MethodDefinition<object, unknown>> {
  const definitions = fromJSON(schema, { longs: String, defaults: true, arrays: true });
  const methods = new Map<string, MethodDefinition<object, unknown>>();
  for (const [name, definition] of Object.entries(definitions)) {
    if ('format' in definition) continue;
    for (const [method, description] of Object.entries(definition as ServiceDefinition)) {
      const key = `${name.split('.').at(-1)!}/${method}`;
      methods.set(key, description as MethodDefinition<object, unknown>);
    }
  }
  return methods;
}

function newClient(endpoint: string, tls: EtcdTls | undefined): Client {
  const address = endpoint.replace(/^https?:\/\//, '').replace(/\/$/, '');
  const isSecure = tls !== undefined || endpoint.startsWith('https://');
  return new Client(
    address,
    isSecure ? credentialsOf(tls) : credentials.createInsecure(),
    CHANNEL_OPTIONS,
  );
}

function credentialsOf(tls: EtcdTls | undefined): ChannelCredentials {
  return credentials.createSsl(tls?.ca ?? null, tls?.key ?? null, tls?.cert ?? null);
}

function metadataOf(token: string | undefined): Metadata {
  const metadata = new Metadata();
  if (token !== undefined && token !== '') metadata.set('token', token);
  return metadata;
}

function isTokenFault(error: unknown): boolean {
  return (
    (error as Partial<ServiceError>).code === status.UNAUTHENTICATED ||
    TOKEN_FAULT.test(reasonOf(error))
  );
}

/** Returns the words of an error without what differs from one time to the next: a reason that lasts is logged once. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, details } = error as Partial<ServiceError>;
  if (code === status.DEADLINE_EXCEEDED) return 'no reply in time';
  return (details ?? error.message)
    .replace(/ \(\d{4}-\d\d-\d\dT[\d:.]+Z\)/g, '')
    .replace(/\. Resolution note: $/, '')
    .replace(/\s+/g, ' ')
    .trim();
}
