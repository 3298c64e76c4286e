/** A value that belongs to no key yet: bytes, or the object of an encoding. */
export interface FinishedValue {
  readonly type: number;
  readonly encoding: number;
  readonly value: object;
}
