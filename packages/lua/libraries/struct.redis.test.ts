import { needs, redisProgram } from '#testkit';
import { suite } from 'uvu';
import { compareWithRedis } from '../script-runner.test-helper.ts';

const compared = suite('struct against redis');

compareWithRedis(
  compared,
  String.raw`
return struct.pack("<I4>i2c3sxd",7,-2,"abc","hey",1.5)
return {struct.unpack("<I4>i2c3sxd",struct.pack("<I4>i2c3sxd",7,-2,"abc","hey",1.5))}
return struct.pack("bBhHlLTiI",1,2,3,4,5,6,7,8,9)
return struct.pack(">bBhHlLTiI",-1,-2,-3,-4,-5,-6,-7,-8,-9)
return struct.pack("i8i16",-1,-1)
return struct.pack(">i16",-1)
return struct.pack("i3",-2)
return struct.pack("!4bi","1",2)
return struct.pack("!8bdbh",1,2,3,4)
return struct.pack("!bl",1,2)
return struct.pack("f",1.1)
return struct.pack(">f",1e300)
return struct.pack("c0","abc")
return struct.pack("c5","abc")
return struct.pack("s","a\0b")
return struct.pack("L",1e19)
return struct.pack("L",2^64)
return struct.pack("l",0/0)
return struct.pack("I8",-1.5)
return struct.pack("i",1e15)
return struct.pack("i33",1)
return struct.pack("i99999999999",1)
return struct.pack("!3i",1)
return struct.pack("z",1)
return struct.pack("i","x")
return struct.pack("i")
return struct.pack()
return struct.pack("i0",1)
return struct.pack(" i ",1)
return {struct.unpack("i4","\1\0\0\0")}
return {struct.unpack("i4","\1\0\0")}
return {struct.unpack("i4","abcdefgh",3)}
return {struct.unpack("i4","abcdefgh",0)}
return {struct.unpack("i4","abcdefgh",-1)}
return {struct.unpack("i4","abcdefgh",6)}
return {struct.unpack("c0","abc")}
return {struct.unpack("bc0","\3abcd")}
return {struct.unpack("bc0","\9abcd")}
return {struct.unpack("dc0",struct.pack("d",1e222).."abcd")}
return {struct.unpack("dc0",struct.pack("d",-0.5).."abcd")}
return {struct.unpack("dc0",struct.pack("d",-1).."abcd")}
return {struct.unpack("s","abc")}
return {struct.unpack("s","abc\0d")}
return {struct.unpack("i8","\255\255\255\255\255\255\255\255")}
return {tostring(struct.unpack("I8","\255\255\255\255\255\255\255\255"))}
return {struct.unpack("i3","\254\255\255")}
return {struct.unpack("I3","\254\255\255")}
return {struct.unpack(">i16","\255\255\255\255\255\255\255\255\255\255\255\255\255\255\255\254")}
return {struct.unpack("<i9","\1\2\3\4\5\6\7\8\9")}
return {tostring(struct.unpack(">f","\63\140\204\205"))}
return {tostring(struct.unpack("d","\0\0\0\0\0\0\248\63"))}
return {struct.unpack("xxb","abc")}
return {struct.unpack("","abc")}
return {struct.unpack("z","abc")}
return {struct.unpack("i")}
return {struct.unpack(string.rep("b",100),string.rep("a",100))}
return {struct.unpack("c2147483647","abc")}
return {struct.unpack("c4294967295","abc")}
return struct.size("!8bI8")
return struct.size("i4c3xd")
return struct.size("s")
return struct.size("c0")
return struct.size("z")
return struct.size("?")
return struct.size("!3")
`,
);

if (needs(redisProgram())) compared.run();
