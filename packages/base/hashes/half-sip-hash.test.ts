import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { halfSipHash } from './half-sip-hash.ts';

const hashing = suite('half-sip-hash');

function hashOf(bytes: Uint8Array, at = 0, length = bytes.length, secret = 1): number {
  return halfSipHash(secret, 2, bytes, at, length);
}

/** The function as in its paper, over 64-bit numbers truncated to 32. */
function plainHash(secret0: number, secret1: number, message: Uint8Array): number {
  const cut = (n: bigint): bigint => n & 0xffffffffn;
  const turn = (n: bigint, by: bigint): bigint => cut((n << by) | (n >> (32n - by)));
  const k0 = cut(BigInt(secret0));
  const k1 = cut(BigInt(secret1));
  let [v0, v1, v2, v3] = [k0, k1, k0 ^ 0x6c796765n, k1 ^ 0x74656462n];
  const round = (): void => {
    v0 = cut(v0 + v1);
    v1 = turn(v1, 5n) ^ v0;
    v0 = turn(v0, 16n);
    v2 = cut(v2 + v3);
    v3 = turn(v3, 8n) ^ v2;
    v0 = cut(v0 + v3);
    v3 = turn(v3, 7n) ^ v0;
    v2 = cut(v2 + v1);
    v1 = turn(v1, 13n) ^ v2;
    v2 = turn(v2, 16n);
  };
  const padded = new Uint8Array((Math.floor(message.length / 4) + 1) * 4);
  padded.set(message);
  padded[padded.length - 1] = message.length % 256;
  const words = new DataView(padded.buffer);
  for (let i = 0; i < padded.length; i += 4) {
    const word = BigInt(words.getUint32(i, true));
    v3 ^= word;
    round();
    v0 ^= word;
  }
  v2 ^= 0xffn;
  for (let i = 0; i < 3; i += 1) round();
  return Number(BigInt.asIntN(32, v1 ^ v3));
}

hashing('agrees with the plain form for every length up to 64', () => {
  const bytes = Uint8Array.from({ length: 64 }, (_, i) => (i * 37 + 11) & 255);
  for (let length = 0; length <= 64; length += 1) {
    const expected = plainHash(0x01234567, -0x76543210, bytes.subarray(0, length));
    assert.is(halfSipHash(0x01234567, -0x76543210, bytes, 0, length), expected);
  }
});

hashing('does not depend on where the bytes lie', () => {
  const message = Uint8Array.from({ length: 23 }, (_, i) => i * 7);
  const shared = new Uint8Array(new SharedArrayBuffer(64));
  for (let at = 0; at < 9; at += 1) {
    shared.set(message, at);
    assert.is(hashOf(shared, at, message.length), hashOf(message));
  }
});

hashing('depends on the secret', () => {
  const message = new Uint8Array(8);
  assert.is.not(hashOf(message, 0, 8, 1), hashOf(message, 0, 8, 3));
});

hashing('spreads counting keys evenly by top and by low bits', () => {
  const top = new Uint32Array(256);
  const low = new Uint32Array(1024);
  for (let i = 0; i < 65536; i += 1) {
    const hash = hashOf(Buffer.from(`key:${i}`));
    top[hash >>> 24] = top[hash >>> 24]! + 1;
    low[hash & 1023] = low[hash & 1023]! + 1;
  }
  assert.ok(Math.max(...top) < 256 + 6 * 16, 'no top byte far above its share');
  assert.ok(Math.max(...low) < 64 + 7 * 8, 'no low bits far above their share');
});

hashing.run();
