/**
 * Calls over a message port, for what two threads ask of each other now and then: a name and a question, and one answer.
 *
 * No caller waits for ever: an answer that does not come in time is a problem like any other.
 */

/** Reason why there is no answer. */
type CallProblem = 'late' | 'unknown' | 'failed';

export class CallError extends Error {
  override readonly name = 'CallError';
  readonly problem: CallProblem;

  constructor(problem: CallProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** Interface that a port must have. */
interface CallPort {
  postMessage(message: unknown): void;
}

/** Messages over the port. */
export type CallMessage =
  | { readonly kind: 'ask'; readonly id: number; readonly name: string; readonly question: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | {
      readonly kind: 'problem';
      readonly id: number;
      readonly problem: CallProblem;
      readonly message: string;
    };

type Handler = (question: unknown) => unknown;

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: CallError): void;
  readonly timer: NodeJS.Timeout;
}

/** One end of such a port. The listener of the port passes messages of these kinds to `take`. */
export class PortCalls {
  readonly #port: CallPort;
  readonly #handlers = new Map<string, Handler>();
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(port: CallPort) {
    this.#port = port;
  }

  /** Sets the handler of a call; errors that it throws are returned to the caller. */
  on(name: string, handler: Handler): void {
    this.#handlers.set(name, handler);
  }

  /** Asks the other end; rejects with a CallError. */
  ask(name: string, question: unknown, timeoutMs: number): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new CallError('late', `no reply to ${name} within ${timeoutMs} ms`));
      }, timeoutMs);
      this.#waiting.set(id, { resolve, reject, timer });
      this.#port.postMessage({ kind: 'ask', id, name, question } satisfies CallMessage);
    });
  }

  /** Takes a message of the other end. */
  take(message: CallMessage): void {
    if (message.kind === 'ask') {
      void this.#reply(message.id, message.name, message.question);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    // It came too late.
    if (waiting === undefined) return;
    this.#waiting.delete(message.id);
    clearTimeout(waiting.timer);
    if (message.kind === 'answer') waiting.resolve(message.answer);
    else waiting.reject(new CallError(message.problem, message.message));
  }

  async #reply(id: number, name: string, question: unknown): Promise<void> {
    const handler = this.#handlers.get(name);
    let message: CallMessage;
    try {
      message =
        handler === undefined
          ? { kind: 'problem', id, problem: 'unknown', message: `no handler for ${name}` }
          : { kind: 'answer', id, answer: await handler(question) };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      message = { kind: 'problem', id, problem: 'failed', message: text };
    }
    this.#port.postMessage(message);
  }
}

/** True when a message is for `PortCalls`. */
export function isCall(message: { readonly kind: string }): message is CallMessage {
  return message.kind === 'ask' || message.kind === 'answer' || message.kind === 'problem';
}
