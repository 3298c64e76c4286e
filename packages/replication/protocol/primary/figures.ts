/** Statistics of a primary: the lag of its replicas, as published on its page. */

import { OffsetTimes } from './offset-times.ts';
import type { Replica } from './replica.ts';
import type { Stamps } from '../stamps.ts';

export type PrimaryFigure =
  | 'isPrimary'
  | 'replicasSeen'
  | 'lacksReplicas'
  | 'replicas'
  | 'goodReplicas'
  | 'streamOffset'
  | 'streamBytes'
  | 'replicaLagBytes'
  | 'replicaLagUs'
  | 'backlogBytes'
  | 'replicationBytes';

/** Facts of a primary that its figures are of. */
interface FigureSource {
  readonly offset: number;
  readonly replicas: readonly Replica[];
  readonly goodReplicas: number;
  readonly lacksReplicas: boolean;
  readonly backlogUsed: number;
  /** Bytes that the stream has grown by. */
  readonly streamBytes: number;
  readonly memoryBytes: number;
}

interface FiguresOptions {
  nowMs(): number;
  show(figure: PrimaryFigure, value: number): void;
}

export class Figures {
  readonly #source: FigureSource;
  readonly #stamps: Pick<Stamps, 'lagMs' | 'clear'>;
  readonly #options: FiguresOptions;
  readonly #times = new OffsetTimes();
  /** The most replicas that were there at once since the backlog was made. */
  #seen = 0;

  constructor(
    source: FigureSource,
    stamps: Pick<Stamps, 'lagMs' | 'clear'>,
    options: FiguresOptions,
  ) {
    this.#source = source;
    this.#stamps = stamps;
    this.#options = options;
  }

  /**
   * Lag of a replica in milliseconds. By timestamps in the stream if it returns them; otherwise the time for which it
   * has been behind according to its acknowledgements, which is up to a second more than the real lag.
   */
  lagMs(replica: Replica): number {
    const { offset, stampLag } = replica.ack;
    const nowMs = this.#options.nowMs();
    const unackedMs = this.#times.lagMs(offset, nowMs);
    if (!this.hasStampLag(replica)) return unackedMs;
    return this.#stamps.lagMs(stampLag, offset, unackedMs, nowMs);
  }

  /** True when the replica's lag is measured by timestamps. */
  hasStampLag({ announced, ack }: Replica): boolean {
    return announced.hasStamps && ack.stampLag.stampOffset >= 0;
  }

  lagBytes({ ack }: Replica): number {
    return Math.max(0, this.#source.offset - ack.offset);
  }

  /** Clears the figures when there are no replicas. */
  forget(): void {
    this.#times.clear();
    this.#stamps.clear();
    this.#seen = 0;
    this.show();
  }

  /** Shows whether writes are refused: a primary without a replica since the start has no other figures. */
  showRefusals(): void {
    this.#options.show('lacksReplicas', Number(this.#source.lacksReplicas));
  }

  show(): void {
    const source = this.#source;
    const { replicas, offset } = source;
    // Replicas that request only the data disconnect afterwards, and do not count.
    const staying = replicas.filter(({ isOld, announced }) => !isOld && !announced.isRdbOnly);
    this.#times.note(offset, this.#options.nowMs());
    this.#seen = Math.max(this.#seen, staying.length);
    const online = staying.filter(({ state }) => state === 'online');
    const figures: Readonly<Partial<Record<PrimaryFigure, number>>> = {
      ...(this.#seen > 0 ? { isPrimary: 1 } : {}),
      replicasSeen: this.#seen,
      lacksReplicas: Number(source.lacksReplicas),
      replicas: staying.length,
      goodReplicas: source.goodReplicas,
      streamOffset: offset,
      streamBytes: source.streamBytes,
      replicaLagBytes: Math.max(0, ...online.map((replica) => this.lagBytes(replica))),
      replicaLagUs: 1_000 * Math.max(0, ...online.map((replica) => this.lagMs(replica))),
      backlogBytes: source.backlogUsed,
      replicationBytes: source.memoryBytes,
    };
    for (const [figure, value] of Object.entries(figures)) {
      this.#options.show(figure as PrimaryFigure, value);
    }
  }
}
