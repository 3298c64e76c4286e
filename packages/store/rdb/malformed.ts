/** Bytes that are not what they say. Thrown while a value is read, before anything is stored. */
export class MalformedValueError extends Error {
  override readonly name = 'MalformedValueError';
}

/** The file is none that can be read; the message says why and where. */
export class RdbFileError extends Error {
  override readonly name = 'RdbFileError';
}

const malformed = new MalformedValueError('not a value that this server can read');

/** Ends the reading unless the condition holds. The error is made once: it has no stack of its own. */
export function demand(condition: boolean): asserts condition {
  if (!condition) throw malformed;
}
