/**
 * Geohash cells: a position on earth as two numbers of equal width, and both interleaved as one. Scores of members are
 * the 52 bits of a cell of 26 steps. Results match Redis to the last bit, so the order of operations matters.
 */

/** Bits of each coordinate in a score. */
export const STEPS_MAX = 26;
export const LONGITUDE_MAX = 180;
/** Mercator's projection ends here. */
export const LATITUDE_MAX = 85.051_128_78;
/** The poles, for the geohash that others understand. */
const LATITUDE_POLE = 90;

const SCORE_BITS = 52;
const TWO_32 = 2 ** 32;

export interface Place {
  longitude: number;
  latitude: number;
}

/** A cell by the numbers of its column and row. */
export interface Cell {
  column: number;
  row: number;
  steps: number;
}

/** The edges of a cell. */
interface Area {
  west: number;
  east: number;
  south: number;
  north: number;
}

/** The cell in which a place lies. */
export function cellAt({ longitude, latitude }: Place, steps: number, top = LATITUDE_MAX): Cell {
  const across = (longitude + LONGITUDE_MAX) / (2 * LONGITUDE_MAX);
  const up = (latitude - -top) / (top - -top);
  const cells = 2 ** steps;
  return { column: Math.floor(across * cells), row: Math.floor(up * cells), steps };
}

/** Returns the cell that is `columns` and `rows` away; the map is a torus. */
export function neighbour({ column, row, steps }: Cell, columns: number, rows: number): Cell {
  const mask = 2 ** steps - 1;
  return {
    column: columns === 0 ? column : (column + columns) & mask,
    row: rows === 0 ? row : (row + rows) & mask,
    steps,
  };
}

export function areaOf({ column, row, steps }: Cell): Area {
  const cells = 2 ** steps;
  const height = LATITUDE_MAX - -LATITUDE_MAX;
  const width = 2 * LONGITUDE_MAX;
  return {
    west: -LONGITUDE_MAX + (column / cells) * width,
    east: -LONGITUDE_MAX + (((column + 1) >>> 0) / cells) * width,
    south: -LATITUDE_MAX + (row / cells) * height,
    north: -LATITUDE_MAX + (((row + 1) >>> 0) / cells) * height,
  };
}

/** The bits of both numbers by turns, the row's first; rounded beyond 53 bits. */
function interleaved({ column, row }: Cell): number {
  const low = spread(row & 0xffff) + 2 * spread(column & 0xffff);
  const high = spread(row >>> 16) + 2 * spread(column >>> 16);
  return high * TWO_32 + low;
}

/** The score of a place. */
export function scoreOf(place: Place): number {
  return interleaved(cellAt(place, STEPS_MAX));
}

/** Scores of the members in a cell: from `least` up to, but not including, `end`. */
export function scoresIn(cell: Cell): { least: number; end: number } {
  const bits = interleaved(cell);
  const scale = 2 ** (SCORE_BITS - 2 * cell.steps);
  return { least: bits * scale, end: (bits + 1) * scale };
}

/** The middle of the cell that a score stands for. */
export function placeOf(score: number): Place {
  const place = { longitude: 0, latitude: 0 };
  readPlace(score, place);
  return place;
}

/** Writes the middle of the cell that a score stands for into `place`. */
export function readPlace(score: number, place: Place): void {
  const [high, low] = wordsOf(score);
  const row = (gathered(low) | (gathered(high) << 16)) >>> 0;
  const column = (gathered(low >>> 1) | (gathered(high >>> 1) << 16)) >>> 0;
  const { west, east, south, north } = areaOf({ column, row, steps: STEPS_MAX });
  place.longitude = clamped((west + east) / 2, LONGITUDE_MAX);
  place.latitude = clamped((south + north) / 2, LATITUDE_MAX);
}

const ALPHABET = '0123456789bcdefghjkmnpqrstuvwxyz';
const CHARACTERS = 10;
const CHARACTER_BITS = 5;

/** The geohash of a score in the usual alphabet, whose eleventh character is always the first letter. */
export function geohashOf(score: number): string {
  const bits = interleaved(cellAt(placeOf(score), STEPS_MAX, LATITUDE_POLE));
  let text = '';
  for (let nth = 1; nth <= CHARACTERS; nth += 1) {
    const value = Math.floor(bits / 2 ** (SCORE_BITS - nth * CHARACTER_BITS)) % ALPHABET.length;
    text += ALPHABET.charAt(value);
  }
  return text + ALPHABET.charAt(0);
}

/** Puts a zero before each of 16 bits. */
function spread(word: number): number {
  let bits = word & 0xffff;
  bits = (bits | (bits << 8)) & 0x00ff_00ff;
  bits = (bits | (bits << 4)) & 0x0f0f_0f0f;
  bits = (bits | (bits << 2)) & 0x3333_3333;
  return ((bits | (bits << 1)) & 0x5555_5555) >>> 0;
}

/** Every second bit of a word, beginning with the lowest. */
function gathered(word: number): number {
  let bits = word & 0x5555_5555;
  bits = (bits | (bits >>> 1)) & 0x3333_3333;
  bits = (bits | (bits >>> 2)) & 0x0f0f_0f0f;
  bits = (bits | (bits >>> 4)) & 0x00ff_00ff;
  return (bits | (bits >>> 8)) & 0xffff;
}

/** High and low word of a score as an integer of 64 bits; any score can be asked for its place. */
function wordsOf(score: number): readonly [high: number, low: number] {
  if (score >= 0 && score < 2 ** 53) {
    const whole = Math.floor(score);
    const high = Math.floor(whole / TWO_32);
    return [high, whole - high * TWO_32];
  }
  const bits = Number.isFinite(score) ? BigInt.asUintN(64, BigInt(Math.trunc(score))) : 1n << 63n;
  return [Number(bits >> 32n), Number(bits & 0xffff_ffffn)];
}

function clamped(value: number, most: number): number {
  return Math.min(Math.max(value, -most), most);
}
