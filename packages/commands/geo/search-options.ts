/** The arguments of searches, judged in Redis' order. */

import { CommandError, errors } from '#base';
import type { SortedSetValue } from '#store';
import type { Arguments } from '../arguments/arguments.ts';
import type { Place } from './cell.ts';
import { placeAt, unitAt } from './place-arguments.ts';
import { memberPlace } from './places.ts';
import { middleOf } from './polygon.ts';
import type { Shape } from './search-area.ts';

/** Form of a search: which of the searches a command is. */
export interface SearchForm {
  /** Source of the middle of the search: arguments at fixed places, or options. */
  from: 'place' | 'member' | 'options';
  /** Index of the argument that names the sorted set. */
  keyIndex: number;
  /**
   * Argument that names where results go: the first one (`always`), that of an option (`option`), or none (`never`).
   */
  stores: 'always' | 'option' | 'never';
}

export interface SearchOptions {
  shape: Shape;
  withDistance: boolean;
  withHash: boolean;
  withPlace: boolean;
  sort: 'none' | 'asc' | 'desc';
  /** 0: all. */
  count: number;
  any: boolean;
  /** Argument that names the key results are stored under; 0: they are answered. */
  storeIndex: number;
  storesDistance: boolean;
}

const notNumericRadius = new CommandError('ERR need numeric radius');
const negativeRadius = new CommandError('ERR radius cannot be negative');
const notNumericWidth = new CommandError('ERR need numeric width');
const notNumericHeight = new CommandError('ERR need numeric height');
const negativeBox = new CommandError('ERR height or width cannot be negative');
const notNumericVertices = new CommandError('ERR invalid number of vertices');
const tooFewVertices = new CommandError('ERR GEOSEARCH BYPOLYGON must have at least 3 vertices');
const unknownMember = new CommandError('ERR could not decode requested zset member');
const countTooSmall = new CommandError('ERR COUNT must be > 0');
const anyNeedsCount = new CommandError('ERR the ANY argument requires COUNT argument');

/** Reads a search. Without a sorted set, places of members are not looked for. */
export function readSearch(
  args: Arguments,
  form: SearchForm,
  set: SortedSetValue | undefined,
): SearchOptions {
  const reader = new SearchReader(args, form, set);
  reader.readFixed();
  while (args.more) reader.readOption();
  reader.judge();
  return reader.options;
}

const VERTICES_MIN = 3;

class SearchReader {
  readonly options: SearchOptions;
  readonly #args: Arguments;
  readonly #form: SearchForm;
  readonly #set: SortedSetValue | undefined;
  #hasMember = false;
  #hasPlace = false;
  #hasRadius = false;
  #hasBox = false;

  constructor(args: Arguments, form: SearchForm, set: SortedSetValue | undefined) {
    this.#args = args;
    this.#form = form;
    this.#set = set;
    const center = { longitude: 0, latitude: 0 };
    this.options = {
      shape: { center, unitM: 1, isBox: false, radius: 0, width: 0, height: 0 },
      withDistance: false,
      withHash: false,
      withPlace: false,
      sort: 'none',
      count: 0,
      any: false,
      storeIndex: form.stores === 'always' ? 1 : 0,
      storesDistance: false,
    };
  }

  /** Arguments with fixed places, before the options. */
  readFixed(): void {
    const args = this.#args;
    const { shape } = this.options;
    const { from, keyIndex } = this.#form;
    args.position = keyIndex + 1;
    if (from === 'place') {
      shape.center = placeAt(args, 2);
      this.#readRadius(4);
      args.position = 6;
    } else if (from === 'member') {
      if (this.#set !== undefined) {
        shape.center = this.#memberAt(2);
        this.#readRadius(3);
      }
      args.position = 5;
    }
  }

  readOption(): void {
    const args = this.#args;
    const { options } = this;
    if (args.takes('WITHDIST')) options.withDistance = true;
    else if (args.takes('WITHHASH')) options.withHash = true;
    else if (args.takes('WITHCOORD')) options.withPlace = true;
    else if (args.takes('ANY')) options.any = true;
    else if (args.takes('ASC')) options.sort = 'asc';
    else if (args.takes('DESC')) options.sort = 'desc';
    else if (args.left >= 2 && args.takes('COUNT')) this.#readCount();
    else if (this.#form.from === 'options') this.#readSearchOption();
    else this.#readStoreOption();
  }

  /** Throws what is wrong with the options together. */
  judge(): void {
    const { options } = this;
    const { from, stores } = this.#form;
    const shows = options.withDistance || options.withHash || options.withPlace;
    if (options.storeIndex > 0 && shows) {
      const who = stores === 'always' ? 'GEOSEARCHSTORE' : 'STORE option in GEORADIUS';
      throw new CommandError(
        `ERR ${who} is not compatible with WITHDIST, WITHHASH and WITHCOORD options`,
      );
    }
    if (from === 'options') this.#judgeShape();
    if (options.any && options.count === 0) throw anyNeedsCount;
  }

  #judgeShape(): void {
    if (this.options.shape.vertices !== undefined) return;
    const name = this.#args.latin1(0);
    if (!this.#hasMember && !this.#hasPlace) {
      throw new CommandError(
        `ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for ${name}`,
      );
    }
    if (!this.#hasRadius && !this.#hasBox) {
      throw new CommandError(`ERR exactly one of BYRADIUS and BYBOX can be specified for ${name}`);
    }
  }

  #readCount(): void {
    this.options.count = this.#args.roundedAt(this.#args.next());
    if (this.options.count <= 0) throw countTooSmall;
  }

  /** STORE and STOREDIST of GEORADIUS. */
  #readStoreOption(): void {
    const args = this.#args;
    if (this.#form.stores !== 'option' || args.left < 2) throw errors.syntax;
    const storesDistance = args.takes('STOREDIST');
    if (!storesDistance && !args.takes('STORE')) throw errors.syntax;
    this.options.storesDistance = storesDistance;
    this.options.storeIndex = args.next();
  }

  /** Reads an option that only GEOSEARCH and GEOSEARCHSTORE have. */
  #readSearchOption(): void {
    const args = this.#args;
    if (this.#form.stores === 'always' && args.takes('STOREDIST')) {
      this.options.storesDistance = true;
    } else if (this.options.shape.vertices !== undefined) {
      // A polygon has its own middle, and excludes other shapes.
      throw errors.syntax;
    } else if (this.#mayHavePolygon && args.left > 2 && args.takes('BYPOLYGON')) {
      this.#readPolygon(args.next());
    } else {
      this.#readPlaceOrSize();
    }
  }

  get #mayHavePolygon(): boolean {
    return !this.#hasMember && !this.#hasPlace && !this.#hasRadius && !this.#hasBox;
  }

  /** The number of vertices of argument `index`, and their places. */
  #readPolygon(index: number): void {
    const args = this.#args;
    const count = args.integerAt(index);
    if (Number.isNaN(count)) throw notNumericVertices;
    if (count < VERTICES_MIN || 2 * count > args.left) throw tooFewVertices;
    const first = args.position;
    const vertices = Array.from({ length: count }, (_, nth) => placeAt(args, first + 2 * nth));
    args.position += 2 * count;
    const { shape } = this.options;
    shape.vertices = vertices;
    shape.center = middleOf(vertices);
  }

  #readPlaceOrSize(): void {
    const args = this.#args;
    const { shape } = this.options;
    if (args.left >= 2 && !this.#hasPlace && args.takes('FROMMEMBER')) {
      const index = args.next();
      if (this.#set !== undefined) shape.center = this.#memberAt(index);
      this.#hasMember = true;
    } else if (args.left >= 3 && !this.#hasMember && args.takes('FROMLONLAT')) {
      shape.center = placeAt(args, args.next());
      args.next();
      this.#hasPlace = true;
    } else if (args.left >= 3 && !this.#hasBox && args.takes('BYRADIUS')) {
      this.#readRadius(args.next());
      args.next();
      this.#hasRadius = true;
    } else if (args.left >= 4 && !this.#hasRadius && args.takes('BYBOX')) {
      this.#readBox(args.next());
      args.position += 2;
      this.#hasBox = true;
    } else {
      throw errors.syntax;
    }
  }

  #memberAt(index: number): Place {
    const place = this.#set === undefined ? undefined : memberPlace(this.#set, this.#args, index);
    if (place === undefined) throw unknownMember;
    return place;
  }

  /** The radius of argument `index` and its unit. */
  #readRadius(index: number): void {
    const { shape } = this.options;
    shape.radius = this.#args.doubleAt(index, notNumericRadius);
    if (shape.radius < 0) throw negativeRadius;
    shape.unitM = unitAt(this.#args, index + 1);
    shape.isBox = false;
  }

  /** The width and height from argument `index` on, and their unit. */
  #readBox(index: number): void {
    const { shape } = this.options;
    shape.width = this.#args.doubleAt(index, notNumericWidth);
    shape.height = this.#args.doubleAt(index + 1, notNumericHeight);
    if (shape.height < 0 || shape.width < 0) throw negativeBox;
    shape.unitM = unitAt(this.#args, index + 2);
    shape.isBox = true;
  }
}
