import { needs, redisProgram } from '#testkit';
import { suite } from 'uvu';
import { compareWithRedis } from '../script-runner.test-helper.ts';

const compared = suite('bit against redis');

compareWithRedis(
  compared,
  String.raw`
return bit.band(7,3)
return bit.bor(1,2,4,8)
return bit.bxor(5,3)
return bit.bnot(0)
return bit.lshift(1,31)
return bit.rshift(-1,1)
return bit.arshift(-8,2)
return bit.rol(0x12345678,8)
return bit.ror(0x12345678,8)
return bit.rol(1,0)
return bit.bswap(0x12345678)
return bit.tohex(255)
return bit.tohex(255,-4)
return bit.tohex(65535,-2147483648)
return bit.tohex(1,0)
return bit.tobit(2^32+5)
return bit.tobit(-1.5)
return bit.tobit(2.5)
return bit.tobit(1e20)
return bit.band("7",3)
return bit.band("x",3)
return bit.band()
return bit.band({})
return bit.lshift(1)
return bit.lshift(1,33)
`,
);

if (needs(redisProgram())) compared.run();
