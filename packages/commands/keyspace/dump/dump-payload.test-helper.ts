/** Payloads of DUMP and RESTORE as text, one character per byte. */

import { crc64 } from '#base';
import { call, type CallContext } from '../../call.test-helper.ts';

/** Bytes that are written as hex digits. */
export const binary = (hex: string): string => Buffer.from(hex, 'hex').toString('latin1');

/** Returns a payload that RESTORE takes: this type and value, and a footer that fits. */
export function dumpPayload(body: string, version = 12): string {
  const bytes = Buffer.from(`${body}\0\0${'\0'.repeat(8)}`, 'latin1');
  bytes.writeUInt16LE(version, body.length);
  const { high, low } = crc64(bytes, 0, bytes.length - 8);
  bytes.writeUInt32LE(low, bytes.length - 8);
  bytes.writeUInt32LE(high, bytes.length - 4);
  return bytes.toString('latin1');
}

/** RESTOREs the key `k`. */
export function restore(context: CallContext, payload: string, ...options: string[]): unknown {
  return call(context, ['RESTORE', 'k', '0', payload, ...options]);
}
