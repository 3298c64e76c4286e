/** Our own mistake: something that the code promises did not hold. It ends the thread that finds it. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

/** Throws when `condition` is false; `expectation` says what should have held. */
export function assert(condition: boolean, expectation: string): asserts condition {
  if (!condition) throw new AssertionError(`expected: ${expectation}`);
}

/** Throws; for places that only a bug can reach. */
export function unreachable(expectation: string): never {
  throw new AssertionError(`expected: ${expectation}`);
}
