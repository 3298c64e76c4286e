/** For tests of the warm tier: a server with so little memory that most values are on its disk. */
import {
  type ChildServer,
  type RespClient,
  type ServerOptions,
  settingArguments,
  startServer,
  textOf,
} from '#testkit';

const KIB = 1024;
/** Bytes that the data may take: a tenth of what the tests put in. */
export const LIMIT_BYTES = 2 * KIB ** 2;
const VALUE_BYTES = 1_000;
export const KEYS = 20_000;

/** Arguments of a server with a tier, and with more settings. */
export function tieredArguments(settings: Readonly<Record<string, string>> = {}): string[] {
  const all = {
    'tiered.enabled': 'yes',
    'memory.maxmemory-policy': 'tiered-lru',
    'memory.maxmemory': String(LIMIT_BYTES),
    'snapshot.interval-secs': '0',
    ...settings,
  };
  return settingArguments(all);
}

export function startTiered(
  settings: Readonly<Record<string, string>> = {},
  options: ServerOptions = {},
): Promise<ChildServer> {
  const args = [...tieredArguments(settings), ...(options.args ?? [])];
  return startServer({ ...options, args });
}

/** The value that key number `nth` has. */
export function valueOf(nth: number): string {
  return `${String(nth)}:`.repeat(VALUE_BYTES).slice(0, VALUE_BYTES);
}

export function nameOf(nth: number): string {
  return `key:${String(nth).padStart(12, '0')}`;
}

export async function fill(client: RespClient, from = 0, to = KEYS): Promise<void> {
  for (let begin = from; begin < to; begin += 500) {
    const end = Math.min(to, begin + 500);
    const commands = Array.from({ length: end - begin }, (_, nth) => [
      'SET',
      nameOf(begin + nth),
      valueOf(begin + nth),
    ]);
    await client.pipeline(commands);
  }
}

/** Keys of which the value is not what `fill` has given them. */
export async function wrong(client: RespClient, step = 1): Promise<string[]> {
  const found: string[] = [];
  for (let begin = 0; begin < KEYS; begin += 500 * step) {
    const numbers = Array.from({ length: 500 }, (_, nth) => begin + nth * step).filter(
      (nth) => nth < KEYS,
    );
    const replies = await client.pipeline(numbers.map((nth) => ['GET', nameOf(nth)]));
    for (const [at, nth] of numbers.entries()) {
      const reply = replies[at] ?? null;
      if (reply === null || textOf(reply) !== valueOf(nth)) found.push(nameOf(nth));
    }
  }
  return found;
}

/** A line of INFO tiered as a number. */
export async function tiered(client: RespClient, name: string): Promise<number> {
  const text = textOf(await client.call('INFO', 'tiered'));
  return Number(new RegExp(`^${name}:(.*)\r?$`, 'm').exec(text)?.[1]);
}
