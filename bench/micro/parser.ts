/** Cost of parsing: time per command by shape, with pipelines as they lie in the read buffer. */
import { CommandParser, ParsedCommand, ParseStatus } from '#resp';

const BUFFER_BYTES = 64 * 1024;
const COMMANDS = 5_000_000;

const shapes: readonly (readonly [name: string, words: readonly string[]])[] = [
  ['GET key', ['GET', 'key:000000012345']],
  ['SET key value', ['SET', 'key:000000012345', 'x'.repeat(64)]],
  ['MSET, 10 pairs', ['MSET', ...Array.from({ length: 20 }, (_, nth) => `word:${nth}`)]],
  ['SET of 4 KiB', ['SET', 'key:000000012345', 'x'.repeat(4096)]],
];

function encode(words: readonly string[]): Buffer {
  const body = words.map((word) => `$${word.length}\r\n${word}\r\n`).join('');
  return Buffer.from(`*${words.length}\r\n${body}`, 'latin1');
}

function measure(one: Buffer): number {
  const count = Math.floor(BUFFER_BYTES / one.length);
  const buffer = new Uint8Array(new SharedArrayBuffer(BUFFER_BYTES));
  for (let nth = 0; nth < count; nth += 1) buffer.set(one, nth * one.length);
  const end = count * one.length;
  const parser = new CommandParser(new ParsedCommand(), { bulkBytesMax: 512 * 1024 * 1024 });
  const round = (): void => {
    for (let at = 0; at < end; at += parser.consumed) {
      if (parser.next(buffer, at, end) !== ParseStatus.complete)
        throw new Error('a command is whole');
    }
  };
  for (let warm = 0; warm < 20; warm += 1) round();
  const rounds = Math.ceil(COMMANDS / count / 10);
  const begin = process.hrtime.bigint();
  for (let nth = 0; nth < rounds; nth += 1) round();
  return Number(process.hrtime.bigint() - begin) / (rounds * count);
}

for (const [name, words] of shapes) {
  console.log(`${name.padEnd(16)} ${measure(encode(words)).toFixed(0).padStart(6)} ns`);
}
