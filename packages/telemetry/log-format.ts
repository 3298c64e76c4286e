/** Lines of the log as a format of winston. */

import winston from 'winston';
import type { LogRecord } from '#base';

/** Format of log lines. */
export type LogFormat = 'pretty' | 'json';

const RESET = '\u001b[0m';
const DIM = '\u001b[2m';
const COLOURS = {
  trace: '\u001b[2m',
  debug: '\u001b[36m',
  info: '\u001b[32m',
  warn: '\u001b[33m',
  error: '\u001b[31m',
};
const LEVEL_WIDTH = 5;
/** Names of every JSON line, which a record's own fields may not take. */
const RESERVED = new Set(['ts', 'level', 'msg', 'thread', 'event']);

/** Property of a record that holds its line, for transports of winston. */
const MESSAGE = Symbol.for('message');

interface LineOptions {
  readonly format: LogFormat;
  readonly hasColour?: boolean;
}

/** Creates the format that gives each record its line; records are what winston logs. */
export const recordFormat = winston.format((info, options) => {
  const { format, hasColour } = options as LineOptions;
  info[MESSAGE] = formatRecord(recordOf(info), format, hasColour);
  return info;
});

/** Returns the record that winston hands to a format or a transport. */
export function recordOf(info: object): LogRecord {
  return info as LogRecord;
}

/** Returns the line of a record, without its end. */
export function lineOf(info: object): string {
  return (info as Record<symbol, string>)[MESSAGE]!;
}

/** One line for a record, without its end. */
function formatRecord(record: LogRecord, format: LogFormat, hasColour = false): string {
  return format === 'json' ? jsonLine(record) : prettyLine(record, hasColour);
}

function jsonLine(record: LogRecord): string {
  const line: Record<string, string | number | boolean | null> = {
    ts: timestamp(record.time),
    level: record.level,
    msg: record.message,
    thread: record.thread,
    event: record.event,
  };
  for (const [name, value] of Object.entries(record.fields ?? {})) {
    line[RESERVED.has(name) ? `${name}_` : name] = value;
  }
  return JSON.stringify(line);
}

function prettyLine(record: LogRecord, hasColour: boolean): string {
  const paint = (text: string, colour: string): string =>
    hasColour ? `${colour}${text}${RESET}` : text;
  const fields = Object.entries(record.fields ?? {})
    .map(([name, value]) => ` ${paint(`${oneLine(name)}=`, DIM)}${fieldText(value)}`)
    .join('');
  const level = paint(record.level.toUpperCase().padEnd(LEVEL_WIDTH), COLOURS[record.level]);
  const where = paint(`${oneLine(record.thread)} ${oneLine(record.event)}`, DIM);
  return `${timestamp(record.time)} ${level} ${where} ${oneLine(record.message)}${fields}`;
}

function timestamp(unixMs: number): string {
  const date = new Date(unixMs);
  return Number.isNaN(date.getTime()) ? 'invalid-time' : date.toISOString();
}

function fieldText(value: string | number | boolean | null): string {
  if (typeof value !== 'string') return String(value);
  return /^[\w./:@-]+$/.test(value) ? value : escaped(JSON.stringify(value));
}

/** Escapes control characters, so that text of a client cannot create lines or colours. */
function oneLine(text: string): string {
  return escaped(text.replaceAll('\r', '\\r').replaceAll('\n', '\\n'));
}

function escaped(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
