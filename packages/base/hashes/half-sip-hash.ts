/**
 * HalfSipHash-1-3 with a 32-bit result: a keyed hash that clients who choose the keys cannot steer.
 *
 * It is written out because it runs for every command: two 32-bit secrets, four additions, six
 * rotations and four exclusive-ors per four bytes, and no call.
 */
export function halfSipHash(
  secret0: number,
  secret1: number,
  bytes: Uint8Array,
  at: number,
  length: number,
): number {
  let v0 = secret0;
  let v1 = secret1;
  let v2 = secret0 ^ 0x6c796765;
  let v3 = secret1 ^ 0x74656462;
  const end = at + length - (length & 3);
  let i = at;
  let m = 0;
  for (; i < end; i += 4) {
    m = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    v3 ^= m;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= m;
  }
  // The last word is what remains of the bytes, under the length's low byte.
  m = length << 24;
  const rest = length & 3;
  if (rest > 0) m |= bytes[i]!;
  if (rest > 1) m |= bytes[i + 1]! << 8;
  if (rest > 2) m |= bytes[i + 2]! << 16;
  v3 ^= m;
  // One round for the last word, then three to finish, with both changes of state between.
  for (let round = 0; round < 4; round += 1) {
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    if (round === 0) {
      v0 ^= m;
      v2 ^= 0xff;
    }
  }
  return v1 ^ v3;
}
