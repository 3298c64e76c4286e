/** Monitors of the debug pages: main selects the commands, and a page takes the lines with a request a second. */

import { randomBytes } from 'node:crypto';
import type {
  CommandSource,
  MonitorDocument,
  MonitorEnd,
  MonitorOptions,
  MonitorSelection,
} from '#api-types';
import type { Access } from '../../protocol/access.ts';
import { HttpError } from '../../protocol/answer.ts';
import { type Body, postRoute, textIn, wholeNumber } from '../../protocol/body.ts';
import type { Exchange } from '../../protocol/exchange.ts';
import type { Route } from '../../protocol/route.ts';
import type { OpsContext } from '../../ops/ops-context.ts';

const SOURCES: readonly CommandSource[] = ['client', 'script', 'transaction'];
const FIELDS = ['commands', 'key', 'client', 'user', 'db', 'sources'];
/** Reasons that a page gives. */
const PAGE_ENDS: readonly MonitorEnd[] = ['stopped', 'page-hidden', 'page-closed'];

const COMMANDS_MAX = 32;
const TEXT_CHARS_MAX = 512;
const DATABASE_MAX = 2 ** 31 - 1;
const LINES_PER_SECOND = 100;
const LINES_PER_SECOND_MAX = 1_000;
const DURATION_MS_MAX = 300_000;

export class MonitorView {
  readonly routes: readonly Route[];
  readonly #context: Pick<OpsContext, 'mainClient'>;
  readonly #access: Access;
  /** Sessions of browsers that have started monitors, by the ids of these. */
  readonly #sessions = new Map<string, string>();

  constructor(context: Pick<OpsContext, 'mainClient'>, access: Access) {
    this.#context = context;
    this.#access = access;
    access.loggedOut = (session) => this.#stopOf(session);
    this.routes = [
      postRoute(
        'monitor/start',
        'Starts to monitor commands: {"filter": {"commands", "key", "client", "user", "db", "sources"}, "lines_per_sec", "duration_ms"}.',
        (body, exchange) => this.#start(body, exchange),
      ),
      postRoute(
        'monitor/lines',
        'Lines of a monitor after a number, and its counts: {"id", "after"}; without such requests it ends after a minute.',
        (body) => this.#lines(body),
      ),
      postRoute('monitor/stop', 'Ends a monitor: {"id"}.', (body) => this.#stop(body)),
    ];
  }

  async #start(body: Body, exchange: Exchange): Promise<MonitorDocument> {
    const id = randomBytes(8).toString('hex');
    const addr = exchange.remoteAddress;
    const { problem, document } = await this.#context.mainClient.ask('monitor-start', {
      id,
      addr,
      options: optionsOf(body),
    });
    if (document === null) throw new HttpError(409, problem);
    const session = this.#access.sessionOf(exchange);
    if (session !== null) this.#sessions.set(id, session.key);
    return document;
  }

  async #lines(body: Body): Promise<MonitorDocument> {
    const after = wholeNumber({ after: 0, ...body }, 'after', 0, Number.MAX_SAFE_INTEGER);
    const id = textIn(body, 'id');
    return this.#known(id, await this.#context.mainClient.ask('monitor-lines', { id, after }));
  }

  async #stop(body: Body): Promise<MonitorDocument> {
    const id = textIn(body, 'id');
    const by = PAGE_ENDS.find((each) => each === (body['by'] ?? 'stopped'));
    if (by === undefined) throw new HttpError(400, `by must be one of ${PAGE_ENDS.join(', ')}`);
    return this.#known(id, await this.#context.mainClient.ask('monitor-stop', { id, by }));
  }

  #known(id: string, document: MonitorDocument | null): MonitorDocument {
    if (document?.ended_by !== null) this.#sessions.delete(id);
    if (document === null) throw new HttpError(404, 'no such monitor');
    return document;
  }

  /** Ends the monitors of a session. */
  async #stopOf(session: string): Promise<void> {
    const ids = [...this.#sessions].filter(([, key]) => key === session).map(([id]) => id);
    for (const id of ids) {
      this.#sessions.delete(id);
      await this.#context.mainClient.ask('monitor-stop', { id, by: 'logged-out' });
    }
  }
}

function optionsOf(body: Body): MonitorOptions {
  const numbers = {
    lines_per_sec: LINES_PER_SECOND,
    duration_ms: DURATION_MS_MAX,
    ...body,
  };
  return {
    filter: filterOf(body['filter'] ?? {}),
    lines_per_sec: wholeNumber(numbers, 'lines_per_sec', 1, LINES_PER_SECOND_MAX),
    duration_ms: wholeNumber(numbers, 'duration_ms', 1, DURATION_MS_MAX),
  };
}

/** A misspelt field would select more than is wanted, so it is refused. */
function filterOf(given: unknown): MonitorSelection {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new HttpError(400, 'filter must be an object');
  }
  const filter = given as Body;
  const unknown = Object.keys(filter).find((name) => !FIELDS.includes(name));
  if (unknown !== undefined) {
    throw new HttpError(400, `unknown filter; known: ${FIELDS.join(', ')}`);
  }
  const db = filter['db'] ?? null;
  return {
    commands: wordsIn(filter, 'commands').map((name) => name.toLowerCase()),
    key: optionalText(filter, 'key'),
    client: optionalText(filter, 'client'),
    user: optionalText(filter, 'user'),
    db: db === null ? null : wholeNumber(filter, 'db', 0, DATABASE_MAX),
    sources: wordsIn(filter, 'sources').map(sourceOf),
  };
}

function optionalText(filter: Body, name: string): string | null {
  if ((filter[name] ?? null) === null) return null;
  const text = textIn(filter, name);
  if (text.length <= TEXT_CHARS_MAX) return text;
  throw new HttpError(400, `${name} must have at most ${TEXT_CHARS_MAX} characters`);
}

function wordsIn(filter: Body, name: string): readonly string[] {
  const words = filter[name] ?? [];
  const isGood =
    Array.isArray(words) &&
    words.length <= COMMANDS_MAX &&
    words.every((word) => typeof word === 'string' && word.length <= TEXT_CHARS_MAX);
  if (isGood) return words as string[];
  throw new HttpError(400, `${name} must be a list of at most ${COMMANDS_MAX} names`);
}

function sourceOf(word: string): CommandSource {
  const source = SOURCES.find((each) => each === word);
  if (source === undefined) throw new HttpError(400, `sources must list ${SOURCES.join(', ')}`);
  return source;
}
