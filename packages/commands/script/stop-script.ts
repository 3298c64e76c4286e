/** Stopping the script that runs, for SCRIPT KILL and FUNCTION KILL. */

import { errors } from '#base';
import { answerLater } from '../contexts/answer-later.ts';
import { clientFields } from '../connection/client-report.ts';
import type { ScriptContext } from './script-context.ts';

/** Stops the script (or function) that runs longest, and replies when it has ended. */
export function stopScript(context: ScriptContext, isFunction: boolean): void {
  const stopped = context.scripts.kill(isFunction, clientFields(context.client));
  if (!context.mayBlock) {
    context.reply.ok();
    return;
  }
  answerLater(context, stopped, (reply, hasEnded) => {
    if (hasEnded) reply.ok();
    else reply.error(errors.stopPending);
  });
}
