/** Replies to commands that have thrown. */

import { CommandError, errors, isResourceError } from '#base';

/** The reply to what this process has no room for, or the client's mistake; anything else is our own and is thrown. */
export function replyTo(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  if (isResourceError(error)) return errors.outOfResources;
  throw error;
}
