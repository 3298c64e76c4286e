/** Errors that answer a command that fails while main runs it. */

import { CommandError, errors, isResourceError } from '#base';

/** Returns the error to reply with; rethrows errors that are not the client's. */
export function refusalOf(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (isResourceError(error)) return errors.outOfResources;
  throw error;
}
