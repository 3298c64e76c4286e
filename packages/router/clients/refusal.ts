/** Errors that answer a command that fails while main runs it. */

import { CommandError, errors, isResourceError } from '#base';

/** The error to answer; throws again what is our own mistake. */
export function refusalOf(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (isResourceError(error)) return errors.outOfResources;
  throw error;
}
