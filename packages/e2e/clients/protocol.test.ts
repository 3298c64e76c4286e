/** The wire: both protocols, inline commands, and what is said to those who break the rules. */
// test-again: SVC_SERVER__MULTIPLEXING_API=libuv
// test-again: SVC_SERVER__FRONT_THREADS=1
// test-again: TEST_TLS=1
// test-again: TEST_TLS=1 SVC_SERVER__FRONT_THREADS=1
import {
  type ChildServer,
  type Reply,
  ReplyError,
  startServer,
  talk,
  textOf,
  Verbatim,
} from '#testkit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const protocol = suite('protocol');

let server: ChildServer;

protocol.before(async () => {
  server = await startServer({ shards: 2 });
});
protocol.after(async () => {
  await server.stop();
});

/** Bytes sent, and all that came back until the server closed the connection. */
const faults: readonly (readonly [sent: string, answer: string])[] = [
  ['*3000000000\r\n', 'invalid multibulk length'],
  ['*2147483648\r\n', 'invalid multibulk length'],
  ['*03\r\n', 'invalid multibulk length'],
  ['*abc\r\n', 'invalid multibulk length'],
  ['*3\r\n$3\r\nSET\r\n$1\r\nx\r\nfooz\r\n', "expected '$', got 'f'"],
  ['*1\r\nfoo\r\n', "expected '$', got 'f'"],
  ['*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$-10\r\n', 'invalid bulk length'],
  ['*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$2000000000\r\n', 'invalid bulk length'],
  ['*3\r\n$3\r\nSET\r\n$1\r\nx\r\n$blabla\r\n', 'invalid bulk length'],
  ['set """test-key""" test-value\r\n', 'unbalanced quotes in request'],
  ['x'.repeat(70_000), 'too big inline request'],
  [`*${'1'.repeat(70_000)}`, 'too big mbulk count string'],
  [`*1\r\n$${'1'.repeat(70_000)}`, 'too big bulk count string'],
  [`\0${'payload'.repeat(20_000)}`, 'too big inline request'],
];

for (const [sent, answer] of faults) {
  protocol(`refuses ${JSON.stringify(sent.slice(0, 45))} and closes`, async () => {
    assert.is(await talk(server, sent), `-ERR Protocol error: ${answer}\r\n`);
  });
}

protocol('answers what came before a fault, and nothing behind it', async () => {
  const set = '*3\r\n$3\r\nSET\r\n$5\r\nfault\r\n$1\r\n1\r\n';
  const sent = `PING\r\n${set}GET fault\r\n*1\r\n!\r\nSET fault 2\r\n`;
  const answer = "+PONG\r\n+OK\r\n$1\r\n1\r\n-ERR Protocol error: expected '$', got '!'\r\n";
  assert.is(await talk(server, sent), answer);
  assert.is(await talk(server, 'GET fault\r\nQUIT\r\n'), '$1\r\n1\r\n+OK\r\n');
});

const lines: readonly (readonly [sent: string, answer: string])[] = [
  ['\r\nPING\r\n', '+PONG\r\n'],
  ['PING\n', '+PONG\r\n'],
  ['  PING  \r\n', '+PONG\r\n'],
  ['*-10\r\nPING\r\n', '+PONG\r\n'],
  ['*0\r\nPING\r\n', '+PONG\r\n'],
  ["ECHO 'a\\'b'\r\n", "$3\r\na'b\r\n"],
  ['ECHO "\\x41\\n"\r\n', '$2\r\nA\n\r\n'],
  ['ECHO ""\r\n', '$0\r\n\r\n'],
  ['*2\r\n$4\r\nECHO\r\n$3\r\nabcXXPING\r\n', '$3\r\nabc\r\n+PONG\r\n'],
  ['ping a b\r\n', "-ERR wrong number of arguments for 'ping' command\r\n"],
  ['get\r\n', "-ERR wrong number of arguments for 'get' command\r\n"],
  ['foo bar "b\\nc"\r\n', "-ERR unknown command 'foo', with args beginning with: 'bar' 'b c' \r\n"],
  ['"f\\x00o" "b\\x00r" x\r\n', "-ERR unknown command 'f', with args beginning with: 'b' 'x' \r\n"],
  ['CLIENT "F\\x00O"\r\n', "-ERR unknown subcommand 'F'. Try CLIENT HELP.\r\n"],
  [
    'SELECT 9223372036854775807\r\n',
    '-ERR value is out of range, value must between -2147483648 and 2147483647\r\n',
  ],
  ['CLIENT FOO\r\n', "-ERR unknown subcommand 'FOO'. Try CLIENT HELP.\r\n"],
  ['HELLO 4\r\n', '-NOPROTO unsupported protocol version\r\n'],
  ['HELLO -9223372036854775808\r\n', '-NOPROTO unsupported protocol version\r\n'],
  ['HELLO x\r\n', '-ERR Protocol version is not an integer or out of range\r\n'],
  ['HELLO 3 FOO\r\n', "-ERR Syntax error in HELLO option 'FOO'\r\n"],
  ['GET none\r\n', '$-1\r\n'],
  ['__proto__ x\r\n', "-ERR unknown command '__proto__', with args beginning with: 'x' \r\n"],
];

for (const [sent, answer] of lines) {
  protocol(`answers ${JSON.stringify(sent)}`, async () => {
    assert.is(await talk(server, `${sent}QUIT\r\n`), `${answer}+OK\r\n`);
  });
}

protocol('shows no more than 128 bytes of what it does not know', async () => {
  const name = 'n'.repeat(1_000_000);
  const answer = await talk(server, `*2\r\n$1000000\r\n${name}\r\n$3\r\nabc\r\n`, '\r\n');
  const shown = 'n'.repeat(128);
  assert.is(answer, `-ERR unknown command '${shown}', with args beginning with: 'abc' \r\n`);
  const long = await talk(server, `foo ${'a'.repeat(200)} b\r\n`, '\r\n');
  assert.is(
    long,
    `-ERR unknown command 'foo', with args beginning with: '${'a'.repeat(128)}' \r\n`,
  );
});

protocol('HELLO says who the server is, as a map or as a list', async () => {
  const client = await server.client();
  const old = (await client.call('HELLO', 2)) as Reply[];
  assert.equal(old.slice(0, 2), ['server', 'redis']);
  assert.is(old[old.indexOf('proto') + 1], 2);
  const now = (await client.call('HELLO', 3, 'SETNAME', 'me')) as Map<string, Reply>;
  assert.equal([...now.keys()], ['server', 'version', 'proto', 'id', 'mode', 'role', 'modules']);
  assert.is(now.get('proto'), 3);
  assert.is(now.get('id'), await client.call('CLIENT', 'ID'));
  assert.match(textOf(now.get('version')), /^7\.4\.\d+$/);
  assert.is(await client.call('CLIENT', 'GETNAME'), 'me');
});

protocol('RESP3 has its own types, RESP2 has none of them', async () => {
  const client = await server.client();
  const example = (name: string): Promise<Reply> => client.reply('DEBUG', 'PROTOCOL', name);
  assert.is(await example('true'), 1);
  assert.is(await example('null'), null);
  assert.is(await example('bignum'), '1234567999999999999999999999999999999');
  assert.is(await example('double'), '3.141');
  assert.equal(await example('map'), [0, 0, 1, 1, 2, 0]);
  assert.ok((await example('push')) instanceof ReplyError);
  await client.call('HELLO', 3);
  assert.is(await example('true'), true);
  assert.is(await example('null'), null);
  assert.is(await example('bignum'), 1234567999999999999999999999999999999n);
  assert.is(await example('double'), 3.141);
  assert.equal(await example('set'), new Set([0, 1, 2]));
  assert.equal(
    await example('map'),
    new Map<Reply, Reply>([
      [0, false],
      [1, true],
      [2, false],
    ]),
  );
  assert.ok((await example('verbatim')) instanceof Verbatim);
  assert.is(await example('attrib'), 'Some real reply following the attribute');
  assert.is(await client.call('GET', 'none'), null);
  assert.is(
    await talk(server, 'HELLO 2\r\nGET none\r\n', '$-1\r\n').then((t) => t.slice(-5)),
    '$-1\r\n',
  );
});

protocol('the protocol of a pipeline changes where HELLO stands in it', async () => {
  const answer = await talk(server, 'GET no\r\nHELLO 3\r\nGET no\r\nHELLO 2\r\nGET no\r\nQUIT\r\n');
  const nulls = answer.match(/^(\$-1|_)$/gm);
  assert.equal(nulls, ['$-1', '_', '$-1']);
});

protocol('takes a command of ten thousand keys', async () => {
  const client = await server.client();
  const keys = Array.from({ length: 10_000 }, (_, nth) => `many:${nth}`);
  assert.is(await client.call('MSET', ...keys.flatMap((key) => [key, `of ${key}`])), 'OK');
  assert.equal(
    await client.call('MGET', ...keys),
    keys.map((key) => `of ${key}`),
  );
  assert.is(await client.call('DEL', ...keys), 10_000);
});

protocol('keeps any bytes whole, in keys and in values', async () => {
  const client = await server.client({ buffers: true });
  const key = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const value = Buffer.from(key).reverse();
  await client.call('SET', key, value);
  assert.ok(value.equals((await client.call('GET', key)) as Buffer));
  await client.call('SET', '', 'empty key');
  assert.is(textOf(await client.call('GET', '')), 'empty key');
  assert.is(await client.call('DEL', '', key), 2);
});

protocol('QUIT answers and takes nothing more', async () => {
  const client = await server.client();
  assert.is(await talk(server, 'QUIT\r\nSET quit 1\r\n'), '+OK\r\n');
  assert.is(await client.call('EXISTS', 'quit'), 0);
});

protocol('RESET puts a connection back into its first state', async () => {
  const client = await server.client();
  await client.call('SELECT', 3);
  await client.call('HELLO', 3, 'SETNAME', 'x');
  assert.is(await client.call('RESET'), 'RESET');
  assert.is(await client.call('CLIENT', 'GETNAME'), null);
  assert.match(textOf(await client.call('CLIENT', 'INFO')), / db=0 .* resp=2 /);
});

protocol.run();
