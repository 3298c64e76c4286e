/** Questions of `svc-server doctor` to a server: a part that a user may not ask for is missing with its reason. */

import type { StatusDocument } from '#api-types';
import { ReplyClient } from '#net';
import type { Reply } from '#resp';
import { clientFields } from '../text/client-list.ts';
import { askPart, statusOf, utf8 } from '../text/replies.ts';
import type { ServerPlace } from '../text/server-place.ts';

const SLOWEST_MAX = 10;
/** Longest entries of the slow log that are looked through for the slowest ones. */
const SLOWLOG_MAX = 128;
const OUTPUTS_MAX = 10;
/** Bytes of unsent output from which on a client is reported. */
const OUTPUT_BYTES_MIN = 64 * 1024;

export interface SlowCommand {
  readonly time_secs: number;
  readonly duration_us: number;
  readonly command: readonly string[];
  readonly client: string;
}

export interface WaitingOutput {
  readonly id: number;
  readonly addr: string;
  readonly name: string;
  readonly output_bytes: number;
  readonly command: string;
}

/** Findings of the doctor, as `--json` prints them. */
export interface DoctorReport {
  readonly address: string;
  readonly status: StatusDocument;
  /** Null if the user may not ask for it. */
  readonly latency_doctor: string | null;
  /** Slowest first. */
  readonly slowest: readonly SlowCommand[] | null;
  /** Largest first. */
  readonly outputs: readonly WaitingOutput[] | null;
  /** Reasons for missing parts. */
  readonly missing: readonly string[];
}

/** Asks a server; rejects if it cannot be asked within the time, or does not have STATUS. */
export async function askServer(place: ServerPlace, msMax: number): Promise<DoctorReport> {
  const { host, port, login, tls } = place;
  const client = new ReplyClient(host, port, tls);
  const late = AbortSignal.timeout(msMax);
  late.addEventListener('abort', () => {
    client.close();
  });
  try {
    if (login.length > 0) await client.call(...login);
    return await report(client, `${host}:${port}`);
  } catch (error) {
    if (!late.aborted) throw error;
    throw new Error(`${host}:${port}: no answer within ${msMax / 1_000} s`, { cause: error });
  } finally {
    client.close();
  }
}

async function report(client: ReplyClient, address: string): Promise<DoctorReport> {
  const missing: string[] = [];
  const ask = (words: readonly string[]): Promise<Reply> => askPart(client, missing, words);
  const status = statusOf(await client.call('STATUS', 'JSON'), address);
  const doctor = await ask(['LATENCY', 'DOCTOR']);
  const slowlog = await ask(['SLOWLOG', 'GET', String(SLOWLOG_MAX)]);
  const clients = await ask(['CLIENT', 'LIST']);
  return {
    address,
    status,
    latency_doctor: typeof doctor === 'string' ? utf8(doctor) : null,
    slowest: Array.isArray(slowlog) ? slowestOf(slowlog as readonly Reply[]) : null,
    outputs: typeof clients === 'string' ? outputsOf(utf8(clients)) : null,
    missing,
  };
}

/** Entries of SLOWLOG GET: id, time, duration, arguments, address, name. */
function slowestOf(entries: readonly Reply[]): SlowCommand[] {
  return (entries as readonly (readonly Reply[])[])
    .map(([, time, duration, words, client]) => ({
      time_secs: Number(time),
      duration_us: Number(duration),
      command: (words as readonly Reply[]).map((word) => utf8(String(word))),
      client: String(client),
    }))
    .sort((a, b) => b.duration_us - a.duration_us)
    .slice(0, SLOWEST_MAX);
}

function outputsOf(text: string): WaitingOutput[] {
  return clientFields(text)
    .map((fields) => ({
      id: Number(fields.get('id')),
      addr: fields.get('addr') ?? '',
      name: fields.get('name') ?? '',
      output_bytes: Number(fields.get('omem')),
      command: fields.get('cmd') ?? '',
    }))
    .filter(({ output_bytes: bytes }) => bytes >= OUTPUT_BYTES_MIN)
    .sort((a, b) => b.output_bytes - a.output_bytes)
    .slice(0, OUTPUTS_MAX);
}
