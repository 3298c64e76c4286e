/** Requests as a server would read them: templates, named commands, keys and values. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keySlot } from '#base';
import { CommandParser, ParsedCommand, ParseStatus } from '#resp';
import { keyNumbers, type KeyOrder } from './key-numbers.ts';
import { fillingCommands, readMix } from './mix.ts';
import { RandomNumbers } from './random.ts';
import { RequestWriter, valuePool } from './request-writer.ts';
import { readTemplate, usesPrefix } from './template.ts';
import { readValueSizes } from './value-sizes.ts';

const requests = suite('requests');

function writerOf(text: string, sizes = '8', order: KeyOrder = { kind: 'sequential' }) {
  const random = new RandomNumbers(1);
  const read = readValueSizes(sizes);
  return new RequestWriter(readTemplate(text, 'p:'), {
    random,
    nextKey: keyNumbers(order, 1_000, random, { index: 0, count: 1 }),
    elements: 10,
    sizes: read,
    pool: valuePool(read, new RandomNumbers(1)),
  });
}

/** Writes a request at some place of memory that is full of other bytes, and reads its words. */
function written(writer: RequestWriter, key?: number): string[] {
  const memory = Buffer.alloc(writer.bytesMax + 20, 'z');
  const end = writer.write(memory, 7, key);
  assert.ok(end - 7 <= writer.bytesMax, 'it is no longer than announced');
  return wordsOf(memory.subarray(7, end));
}

function wordsOf(bytes: Buffer): string[] {
  const text = bytes.toString('latin1');
  const [, count = '0'] = /^\*(\d+)\r\n/.exec(text) ?? [];
  const words: string[] = [];
  let at = text.indexOf('\n') + 1;
  for (let nth = 0; nth < Number(count); nth += 1) {
    const line = text.indexOf('\r\n', at);
    assert.is(text[at], '$');
    const length = Number(text.slice(at + 1, line));
    words.push(text.slice(line + 2, line + 2 + length));
    assert.is(text.slice(line + 2 + length, line + 4 + length), '\r\n');
    at = line + 4 + length;
  }
  assert.is(at, text.length, 'nothing follows');
  return words;
}

requests('numbers of keys and values are written', () => {
  const writer = writerOf('SET {prefix}key:{key}:{key} {value}');
  assert.equal(written(writer).slice(0, 2), ['SET', 'p:key:000000000000:000000000001']);
  assert.is(writer.key, 0);
  const [, key, value] = written(writer);
  assert.is(key, 'p:key:000000000002:000000000003');
  assert.match(value!, /^[\w-]{8}$/);
  assert.is(writer.key, 2);
});

requests('a request is written again with its key', () => {
  const writer = writerOf('SET {key} {key}');
  written(writer);
  assert.equal(written(writer, 77), ['SET', '000000000077', '000000000002']);
});

requests('values of a range have all its sizes, each with its own content', () => {
  const writer = writerOf('SET {key} {value}', '3-5');
  const values = Array.from({ length: 200 }, () => written(writer)[2]!);
  assert.equal([...new Set(values.map(({ length }) => length))].sort(), [3, 4, 5]);
  assert.ok(new Set(values).size > 50);
});

requests('weights decide how many values of a size there are', () => {
  const writer = writerOf('SET {key} {value}', '1:9,1000:1');
  const sizes = Array.from({ length: 1_000 }, () => written(writer)[2]!.length);
  const long = sizes.filter((size) => size === 1_000).length;
  assert.ok(long > 60 && long < 140, `${long} of 1,000 are long`);
});

requests('text stands before and after a value of any size', () => {
  const writer = writerOf('HSET h{key} f "a b{value}c{key}" tail', '0-20');
  for (let nth = 0; nth < 50; nth += 1) {
    const [, , , value, tail] = written(writer);
    assert.match(value!, /^a b[\w-]{0,20}c\d{12}$/);
    assert.is(tail, 'tail');
  }
});

requests('quotes, escapes and hash tags', () => {
  const writer = writerOf(`SET "a b\\n\\"" 'c {{tag}}' {{x}}:{key} ''`);
  assert.equal(written(writer), ['SET', 'a b\n"', 'c {tag}', '{x}:000000000000', '']);
});

requests('slots are those of the key, also of a tag', () => {
  for (const [text, nth] of [
    ['SET key:{key} {value}', 1],
    ['SET {{tag}}:{key} {value}', 1],
    ['INCR counter', 1],
    ['XREAD COUNT 1 STREAMS s:{key} 0', 4],
  ] as const) {
    const writer = writerOf(text);
    const memory = Buffer.alloc(200);
    const end = writer.write(memory, 5);
    const key = Buffer.from(wordsOf(memory.subarray(5, end))[nth]!);
    assert.is(writer.slotAt(memory, 5), keySlot(key, 0, key.length), text);
  }
  assert.is(writerOf('PING').slotAt(Buffer.alloc(10), 0), -1);
});

requests('every named command and every filling one is well-formed', () => {
  const known = /known: ([a-z, ]+);/.exec(messageOf(() => readMix('nope', options)))![1]!;
  const mix = known.split(', ').join(',');
  const templates = [
    ...readMix(mix, options).map(({ template }) => template),
    ...fillingCommands(mix, options),
  ];
  assert.ok(templates.length > 50);
  for (const template of templates) {
    for (const sizes of ['0', '10', '0-40']) {
      const random = new RandomNumbers(2);
      const read = readValueSizes(sizes);
      const writer = new RequestWriter(template, {
        random,
        nextKey: () => 12,
        elements: 3,
        sizes: read,
        pool: valuePool(read, random),
      });
      const words = written(writer);
      assert.is(words[0], template.name);
      assert.not.match(words.join(' '), /[{}]/);
    }
  }
});

requests('are commands for the parser of the server', () => {
  const writer = writerOf('SET {prefix}{key} {value}', '0-300');
  const memory = Buffer.alloc(20 * writer.bytesMax);
  let end = 0;
  for (let nth = 0; nth < 20; nth += 1) end = writer.write(memory, end);
  const command = new ParsedCommand();
  const parser = new CommandParser(command, { bulkBytesMax: 1e9 });
  let at = 0;
  let commands = 0;
  while (at < end) {
    assert.is(parser.next(memory, at, end), ParseStatus.complete);
    assert.is(command.count, 3);
    at += parser.consumed;
    commands += 1;
  }
  assert.is(commands, 20);
});

requests('sequences of several threads are all keys once', () => {
  const random = new RandomNumbers(1);
  for (const count of [1, 3, 4]) {
    const seen = Array.from({ length: count }, (_, index) => {
      const next = keyNumbers({ kind: 'sequential' }, 10, random, { index, count });
      const own = Math.floor(10 / count) + (index < 10 % count ? 1 : 0);
      return Array.from({ length: own }, next);
    }).flat();
    assert.equal(
      seen.sort((a, b) => a - b),
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
  }
});

const options = { prefix: 'p:', elements: 3 };

function messageOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  return 'no error';
}

const mistakes: readonly (readonly [act: () => unknown, reason: RegExp])[] = [
  [() => readTemplate('SET "a', ''), /a quote is not closed/],
  [() => readTemplate('SET a"b c"', ''), /a quote begins inside of a word/],
  [() => readTemplate('', ''), /--command has no command/],
  [() => readTemplate('{key} a', ''), /name has a placeholder/],
  [
    () => readTemplate('SET {kye} a', ''),
    /unknown placeholder \{kye\}; known: \{key\}.*\{\{kye\}\}/,
  ],
  [() => readTemplate('SET a {value}{value}', ''), /more than one \{value\}/],
  [() => writerOf('SET a {key}{value}', '1-2'), /\{key\} before \{value\}.*one size/],
  [() => readMix('get:', options), /"get:" is not COMMAND:WEIGHT/],
  [() => readMix('get,,set', options), /"" is not COMMAND:WEIGHT/],
  [() => readMix('get:0', options), /a weight is above 0/],
  [() => readMix('toString:1', options), /unknown command toString; known: ping, get/],
  [() => readValueSizes('big'), /"big" is not BYTES, FROM-TO/],
  [() => readValueSizes('5-4'), /ends before it begins/],
  [() => readValueSizes('999999999999'), /at most 536870912 bytes/],
  [() => readValueSizes('4:0'), /a weight is above 0/],
];
for (const [nth, [act, reason]] of mistakes.entries()) {
  requests(`refuses mistake ${nth}: ${reason.source}`, () => {
    assert.match(messageOf(act), reason);
  });
}

requests('a prefix has an effect where it is named', () => {
  assert.is(usesPrefix('SET {prefix}a b'), true);
  assert.is(usesPrefix('SET {{prefix}}a b'), false);
});

requests.run();
