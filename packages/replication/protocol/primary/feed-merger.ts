/**
 * Merges the feeds of all shards into one order of commands. Each shard's units stay in their order. A unit of several
 * shards comes at a place where all of them have reached it: a transaction that one shard has run with keys of others,
 * a command with a part on each shard, or a barrier. If shards have reached such units in different orders (which is
 * possible without a common key), those that wait for each other become one unit.
 */

import { assert, type Bytes, unreachable } from '#base';

/** Commands in the form that clients send, of one database. */
export interface FeedCommands {
  readonly database: number;
  readonly pieces: readonly Bytes[];
  readonly count: number;
}

/** Takes the merged order. */
export interface FeedTarget {
  /** Called with the commands of a unit, which must be executed as a transaction if `isOne`. */
  unit(commands: readonly FeedCommands[], isOne: boolean): void;
  /** Called when everything before a cut was emitted. */
  cut(number: number): void;
}

/** Parts of a command that is executed by several shards. */
interface Joint {
  readonly parts: Node[];
  missing: number;
}

/** A unit in the queues of the shards that it concerns. */
interface Node {
  readonly shards: readonly number[];
  readonly commands: readonly FeedCommands[];
  readonly isOne: boolean;
  /** Number of shards that have not reached it. */
  missing: number;
  readonly joint: Joint | undefined;
  readonly cut: number | undefined;
  /** Number of its arrival. */
  readonly arrival: number;
}

export class FeedMerger {
  readonly #target: FeedTarget;
  readonly #queues: Node[][];
  readonly #joints = new Map<number, Joint>();
  readonly #wholes = new Map<string, Node>();
  #arrivals = 0;

  constructor(shards: number, target: FeedTarget) {
    this.#target = target;
    this.#queues = Array.from({ length: shards }, () => []);
  }

  /** True when nothing waits. */
  get isEmpty(): boolean {
    return this.#queues.every(({ length }) => length === 0);
  }

  /** Number of units that wait for others. */
  get waiting(): number {
    return this.#queues.reduce((sum, { length }) => sum + length, 0);
  }

  /** Units that have arrived so far and had to wait: the number of the last of them. */
  get arrivals(): number {
    return this.#arrivals;
  }

  /** Counts an arrival, and returns its number. */
  arrive(): number {
    this.#arrivals += 1;
    return this.#arrivals;
  }

  /** Arrival of the oldest unit that still waits; Infinity when none does. */
  get oldest(): number {
    let oldest = Infinity;
    for (const [front] of this.#queues) {
      if (front !== undefined) oldest = Math.min(oldest, front.arrival);
    }
    return oldest;
  }

  /** Takes what a shard has done on its own keys. */
  own(
    shard: number,
    commands: readonly FeedCommands[],
    isOne: boolean,
    arrival = this.#arrivals + 1,
  ): void {
    if (this.#queueOf(shard).length === 0) {
      this.#target.unit(commands, isOne);
      return;
    }
    this.#push(this.#nodeOf([shard], commands, isOne, arrival), [shard], false);
  }

  /** Takes what a shard has done with keys that others had lent. */
  hosted(shards: readonly number[], commands: readonly FeedCommands[]): void {
    this.#push(this.#nodeOf(shards, commands, true), shards, false);
  }

  /** A shard's part of a command that `parts` shards do a share of. */
  part(shard: number, transaction: number, parts: number, commands: readonly FeedCommands[]): void {
    const joint = this.#joints.get(transaction) ?? { parts: [], missing: parts };
    this.#joints.set(transaction, joint);
    const node: Node = { ...this.#nodeOf([shard], commands, true), joint };
    joint.parts.push(node);
    joint.missing -= 1;
    if (joint.missing === 0) this.#joints.delete(transaction);
    this.#push(node, [shard], joint.missing === 0);
  }

  /**
   * A shard has reached a command that counts once, and that each of `parts` shards reports; the first with its
   * `commands`.
   */
  whole(
    shard: number,
    name: string,
    parts: number,
    content: { commands: readonly FeedCommands[]; cut?: number; arrival?: number },
  ): void {
    let node = this.#wholes.get(name);
    if (node === undefined) {
      const shards = Array.from({ length: parts }, (_, index) => index);
      assert(parts === this.#queues.length, 'what counts once concerns all shards');
      const { commands, cut, arrival } = content;
      node = { ...this.#nodeOf(shards, commands, true, arrival), missing: parts, cut };
      this.#wholes.set(name, node);
    }
    node.missing -= 1;
    if (node.missing === 0) this.#wholes.delete(name);
    this.#push(node, [shard], node.missing === 0);
  }

  /** Adds a unit after the shards' earlier ones; `isLast` if it may complete a cycle. */
  #push(node: Node, shards: readonly number[], isLast: boolean): void {
    for (const shard of shards) this.#queueOf(shard).push(node);
    this.#settle([...shards]);
    if (!isLast) return;
    for (let circle = this.#circle(); circle !== undefined; circle = this.#circle()) {
      this.#settle(this.#emitCircle(circle));
    }
  }

  #queueOf(shard: number): Node[] {
    return this.#queues[shard] ?? unreachable('the shard exists');
  }

  /** Emits the ready units at the front of queues. */
  #settle(shards: number[]): void {
    for (let shard = shards.pop(); shard !== undefined; shard = shards.pop()) {
      const node = this.#queueOf(shard)[0];
      if (node !== undefined) shards.push(...this.#take(node));
    }
  }

  /** Emits a unit that is at the front of its queues; returns the shards whose front has changed. */
  #take(node: Node): readonly number[] {
    const { joint } = node;
    if (joint !== undefined) {
      if (joint.missing > 0 || !joint.parts.every((part) => this.#isAtFront(part))) return [];
      const commands = joint.parts.flatMap((part) => part.commands);
      this.#emit(joint.parts[0]!, commands);
      return joint.parts.flatMap((part) => this.#leave(part));
    }
    if (node.missing > 0 || !this.#isAtFront(node)) return [];
    this.#emit(node, node.commands);
    return this.#leave(node);
  }

  #emit(node: Node, commands: readonly FeedCommands[]): void {
    if (node.cut !== undefined) this.#target.cut(node.cut);
    else this.#target.unit(commands, node.isOne);
  }

  #isAtFront(node: Node): boolean {
    return node.shards.every((shard) => this.#queueOf(shard)[0] === node);
  }

  #leave(node: Node): readonly number[] {
    for (const shard of node.shards) this.#queueOf(shard).shift();
    return node.shards;
  }

  /**
   * Returns the smallest set of units that wait only for each other, so that they can be emitted together; undefined if
   * there is none.
   */
  #circle(): ReadonlySet<Node> | undefined {
    let smallest: ReadonlySet<Node> | undefined;
    for (const [front] of this.#queues) {
      if (front === undefined) continue;
      const closure = this.#closureOf(front);
      if (closure !== undefined && closure.size < (smallest?.size ?? Infinity)) smallest = closure;
    }
    return smallest;
  }

  /** Returns a unit with all units that must precede it; undefined if some of them have not arrived. */
  #closureOf(first: Node): ReadonlySet<Node> | undefined {
    const closure = new Set<Node>();
    const rest = [first];
    for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
      if (closure.has(node)) continue;
      if (node.missing > 0 || (node.joint?.missing ?? 0) > 0) return undefined;
      closure.add(node);
      rest.push(...(node.joint?.parts ?? []));
      for (const shard of node.shards) rest.push(...this.#before(node, shard));
    }
    return closure;
  }

  /** Units that stand before another in a shard's queue. */
  #before(node: Node, shard: number): readonly Node[] {
    const queue = this.#queueOf(shard);
    return queue.slice(0, queue.indexOf(node));
  }

  /** Emits units that wait for each other as one: each shard's in its order. Answers the shards. */
  #emitCircle(circle: ReadonlySet<Node>): number[] {
    const commands: FeedCommands[] = [];
    const left = new Set(circle);
    const shards = new Set<number>();
    while (left.size > 0) {
      const node = [...left].find((each) => this.#isAtFront(each));
      assert(
        node !== undefined,
        'parts that wait for each other have an order without their wholes',
      );
      assert(node.cut === undefined, 'no cut is in a circle: all shards meet it at one place');
      commands.push(...node.commands);
      left.delete(node);
      for (const shard of this.#leave(node)) shards.add(shard);
    }
    this.#target.unit(commands, true);
    return [...shards];
  }

  #nodeOf(
    shards: readonly number[],
    commands: readonly FeedCommands[],
    isOne: boolean,
    arrival = this.#arrivals + 1,
  ): Node {
    this.#arrivals = Math.max(this.#arrivals, arrival);
    return { shards, commands, isOne, missing: 0, joint: undefined, cut: undefined, arrival };
  }
}
