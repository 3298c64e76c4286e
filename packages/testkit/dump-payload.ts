import { crc64 } from '#base';

/** What RESTORE takes: this type and value, one character per byte, and a footer that fits. */
export function dumpPayload(body: string, version = 12): string {
  const bytes = Buffer.from(`${body}\0\0${'\0'.repeat(8)}`, 'latin1');
  bytes.writeUInt16LE(version, body.length);
  const { high, low } = crc64(bytes, 0, bytes.length - 8);
  bytes.writeUInt32LE(low, bytes.length - 8);
  bytes.writeUInt32LE(high, bytes.length - 4);
  return bytes.toString('latin1');
}
