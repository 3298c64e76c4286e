/**
 * The part of etcd's protocol (v3) that the coordinator uses: methods, messages and numbers of fields as etcd's rpc.proto,
 * kv.proto and auth.proto give them. Names of fields are ours, since only numbers are on the wire; enumerations are declared as
 * numbers, which have the same form there. Fields that are left out are skipped when they are read.
 */

type Field = readonly [id: number, type: string] | readonly [id: number, type: string, 'repeated'];

function message(fields: Readonly<Record<string, Field>>): object {
  const entries = Object.entries(fields).map(([name, [id, type, rule]]) => [
    name,
    { id, type, ...(rule === undefined ? {} : { rule }) },
  ]);
  return { fields: Object.fromEntries(entries) as object };
}

const unary = (name: string): object => ({
  requestType: `${name}Request`,
  responseType: `${name}Response`,
});

const streams = (name: string): object => ({
  ...unary(name),
  requestStream: true,
  responseStream: true,
});

const services = {
  KV: { methods: { Range: unary('Range'), Txn: unary('Txn') } },
  Watch: { methods: { Watch: streams('Watch') } },
  Lease: {
    methods: {
      LeaseGrant: unary('LeaseGrant'),
      LeaseRevoke: unary('LeaseRevoke'),
      LeaseKeepAlive: streams('LeaseKeepAlive'),
    },
  },
  Auth: { methods: { Authenticate: unary('Authenticate') } },
};

const keyValues = {
  ResponseHeader: message({ clusterId: [1, 'uint64'], revision: [3, 'int64'] }),
  KeyValue: message({ key: [1, 'bytes'], modRevision: [3, 'int64'], value: [5, 'bytes'] }),
  RangeRequest: message({ key: [1, 'bytes'], rangeEnd: [2, 'bytes'] }),
  RangeResponse: message({ header: [1, 'ResponseHeader'], kvs: [2, 'KeyValue', 'repeated'] }),
  PutRequest: message({ key: [1, 'bytes'], value: [2, 'bytes'], lease: [3, 'int64'] }),
  DeleteRangeRequest: message({ key: [1, 'bytes'] }),
  RequestOp: message({ put: [2, 'PutRequest'], deleteRange: [3, 'DeleteRangeRequest'] }),
  Compare: message({
    result: [1, 'int32'],
    target: [2, 'int32'],
    key: [3, 'bytes'],
    modRevision: [6, 'int64'],
  }),
  TxnRequest: message({
    compare: [1, 'Compare', 'repeated'],
    success: [2, 'RequestOp', 'repeated'],
  }),
  TxnResponse: message({ header: [1, 'ResponseHeader'], succeeded: [2, 'bool'] }),
};

const watches = {
  Event: message({ type: [1, 'int32'], kv: [2, 'KeyValue'] }),
  WatchCreateRequest: message({
    key: [1, 'bytes'],
    rangeEnd: [2, 'bytes'],
    startRevision: [3, 'int64'],
  }),
  WatchRequest: message({ createRequest: [1, 'WatchCreateRequest'] }),
  WatchResponse: message({
    created: [3, 'bool'],
    canceled: [4, 'bool'],
    compactRevision: [5, 'int64'],
    cancelReason: [6, 'string'],
    events: [11, 'Event', 'repeated'],
  }),
};

const leases = {
  LeaseGrantRequest: message({ ttl: [1, 'int64'], id: [2, 'int64'] }),
  LeaseGrantResponse: message({ id: [2, 'int64'], ttl: [3, 'int64'] }),
  LeaseRevokeRequest: message({ id: [1, 'int64'] }),
  LeaseRevokeResponse: message({}),
  LeaseKeepAliveRequest: message({ id: [1, 'int64'] }),
  LeaseKeepAliveResponse: message({ id: [2, 'int64'], ttl: [3, 'int64'] }),
};

const logins = {
  AuthenticateRequest: message({ name: [1, 'string'], password: [2, 'string'] }),
  AuthenticateResponse: message({ token: [2, 'string'] }),
};

/** Descriptor of the services, in the JSON form that protobuf's loader reads. */
export const etcdSchema = {
  nested: {
    etcdserverpb: { nested: { ...services, ...keyValues, ...watches, ...leases, ...logins } },
  },
};

/** `Compare.result`: the values are equal. */
export const COMPARE_EQUAL = 0;
/** `Compare.target`: the revision that has written a key. */
export const COMPARE_MOD_REVISION = 2;
/** `Event.type`: a key was written. */
export const EVENT_PUT = 0;

/** A key with its value; numbers of 64 bits are strings. */
interface EtcdKeyValue {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly modRevision: string;
}

export interface RangeResponse {
  readonly header: { readonly clusterId: string; readonly revision: string };
  readonly kvs: readonly EtcdKeyValue[];
}

export interface TxnResponse {
  readonly header: { readonly revision: string };
  readonly succeeded: boolean;
}

export interface WatchResponse {
  readonly created: boolean;
  readonly canceled: boolean;
  readonly compactRevision: string;
  readonly cancelReason: string;
  readonly events: readonly { readonly type: number; readonly kv: EtcdKeyValue }[];
}

export interface LeaseResponse {
  readonly id: string;
  readonly ttl: string;
}

export interface AuthenticateResponse {
  readonly token: string;
}
