/** Replies to commands whose result comes later, from another thread or server. */

import { CommandError } from '#base';
import type { ReplyWriter } from '#resp';
import type { Answer, MainContext } from './contexts.ts';

type WriteFound<Found> = (reply: ReplyWriter, found: Found) => void;

/** Replies with the result of a promise that never rejects. */
export function answerLater<Found>(
  context: MainContext,
  asked: Promise<Found>,
  write: WriteFound<Found>,
): void {
  void asked.then(answering(context.defer(), write));
}

/** Replies with the result of a promise, or with an error reply when it rejects. */
export function answerOrError<Found>(
  context: MainContext,
  asked: Promise<Found>,
  write: WriteFound<Found>,
): void {
  const answer = context.defer();
  const fail = answering<unknown>(answer, (reply, error) => {
    const text = error instanceof Error ? error.message : String(error);
    reply.error(new CommandError(`ERR ${text}`));
  });
  void asked.then(answering(answer, write), fail);
}

/** Replies OK, for promises without a result. */
export const writeOk = (reply: ReplyWriter): void => {
  reply.ok();
};

function answering<Found>(answer: Answer, write: WriteFound<Found>): (found: Found) => void {
  return (found) => {
    answer((reply) => {
      write(reply, found);
    });
  };
}
