import type { Clock } from '#base';

/** A clock that is constant until a test moves it. */
export class FakeClock implements Clock {
  #nowUs: number;
  #wallMs: number;

  /** Starts at a round time by default. */
  constructor(wallMs = 1_700_000_000_000, nowUs = 1_000_000) {
    this.#wallMs = wallMs;
    this.#nowUs = nowUs;
  }

  nowUs(): number {
    return this.#nowUs;
  }

  wallMs(): number {
    return Math.floor(this.#wallMs);
  }

  /** Lets time pass, on both clocks. */
  advanceMs(ms: number): void {
    this.#nowUs += ms * 1_000;
    this.#wallMs += ms;
  }

  /** Lets time pass, on both clocks. */
  advanceUs(us: number): void {
    this.advanceMs(us / 1_000);
  }

  /** Sets the wall clock alone, forwards or backwards, as an administrator might. */
  setWallMs(wallMs: number): void {
    this.#wallMs = wallMs;
  }
}
