/** HyperLogLogs, sparse and dense; their bytes are compared too, as those of strings. */
import type { Draw } from '../draw.ts';
import type { Family, Words } from '../family.ts';

export const hyperloglog: Family = {
  name: 'hyperloglog',
  settings: [['hll-sparse-max-bytes', '3000', '100', '0', '16000']],
  makers: [
    [6, (draw) => ['PFADD', draw.key(), ...elements(draw)]],
    [3, (draw) => ['PFCOUNT', ...draw.keys(1, 4)]],
    [3, (draw) => ['PFMERGE', ...draw.keys(1, 4)]],
    [1, (draw) => ['PFDEBUG', draw.pick('ENCODING', 'DECODE', 'TODENSE', 'NONE'), draw.key()]],
    [0.3, (draw) => ['SET', draw.key(), draw.pick('HYLL', 'x', `HYLL${'\x00'.repeat(12)}`)]],
    [0.2, (draw) => ['SETRANGE', draw.key(), draw.integer(0, 13), draw.pick('\x00', '\xff', 'H')]],
    [0.3, (draw) => ['SET', draw.key(), `HYLL\x01${'\x00'.repeat(10)}\x80${code(draw, 12)}`]],
    [0.5, (draw) => ['GET', draw.key()]],
    [0.5, (draw) => ['STRLEN', draw.key()]],
  ],
};

/**
 * Whole opcodes of a sparse code, which seldom name all registers. Of a cut one Redis reads what lies behind it; and
 * whether a value may come behind all registers, versions see differently (CVE-2025-32023).
 */
function code(draw: Draw, most: number): string {
  const opcode = (): string => draw.pick('\x00', '\x3f', '\x40\x00', '\x80', '\x87', '\xff');
  return draw.list(1, most, opcode).join('') + draw.maybe(0.5, '\x7f\xff').join('');
}

function elements(draw: Draw): Words {
  if (draw.chance(0.1)) return [];
  const most = draw.chance(0.1) ? 200 : 5;
  return draw.list(1, most, () => (draw.chance(0.3) ? draw.value() : draw.integer(0, 1e6)));
}
