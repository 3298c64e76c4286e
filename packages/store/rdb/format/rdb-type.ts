/** The version of the format that Redis 7.4 writes, and the latest that is read of files. */
export const RDB_VERSION = 12;

/** The version of Redis 8.8, for payloads of streams with idempotent ids or released entries; the latest that is read. */
export const PAYLOAD_VERSION_MAX = 14;

/** Types of values in the first byte of a payload, in Redis' numbers. */
export const RdbType = {
  string: 0,
  /** Elements one by one; the same for sets and hashes. */
  list: 1,
  set: 2,
  /** Scores as text. */
  zset: 3,
  hash: 4,
  /** Scores as doubles. */
  zset2: 5,
  /** Fields and values one after the other, as Redis before 2.6 wrote them. */
  hashZipmap: 9,
  listZiplist: 10,
  setIntset: 11,
  zsetZiplist: 12,
  hashZiplist: 13,
  /** Nodes that are ziplists. */
  listQuicklist: 14,
  stream: 15,
  hashListpack: 16,
  zsetListpack: 17,
  /** Nodes that are listpacks or one element. */
  listQuicklist2: 18,
  stream2: 19,
  setListpack: 20,
  stream3: 21,
  /** Hashes whose fields end, as release candidates of 7.4 wrote them. */
  hashMetadataEarly: 22,
  hashListpackExEarly: 23,
  /** A hash with expiring fields whose earliest expiry comes first. */
  hashMetadata: 24,
  hashListpackEx: 25,
  /** A stream with idempotent ids, as Redis 8.6 writes it. */
  stream4: 26,
  /** With released pending entries too, as Redis 8.8 writes it. */
  stream5: 27,
} as const;

/** Codes of strings that are not plain: the low bits of a length whose top bits are both set. */
export const StringCode = {
  int8: 0,
  int16: 1,
  int32: 2,
  lzf: 3,
} as const;

/** Forms of a list's nodes. */
export const NodeForm = {
  plain: 1,
  packed: 2,
} as const;

/** In the place of a length's first byte: the length is in the next four or eight. */
export const LENGTH_32 = 0x80;
export const LENGTH_64 = 0x81;
/** Top bits of a length's first byte. */
export const LENGTH_14_BITS = 1;
export const LENGTH_CODE = 3;

/** In the place of a score's length, where scores are text. */
export const SCORE_NAN = 253;
export const SCORE_INFINITE = 254;
export const SCORE_NEGATIVE_INFINITE = 255;

/** First bytes that are not the type of a value, in Redis' numbers. */
export const RdbOp = {
  slotInfo: 244,
  function2: 245,
  functionEarly: 246,
  moduleAux: 247,
  idle: 248,
  frequency: 249,
  aux: 250,
  resizeDb: 251,
  expireMs: 252,
  expireSeconds: 253,
  selectDb: 254,
  end: 255,
} as const;
