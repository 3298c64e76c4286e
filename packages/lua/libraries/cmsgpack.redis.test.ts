import { needs, redisProgram } from '#testkit';
import { suite } from 'uvu';
import { compareWithRedis } from '../script-runner.test-helper.ts';

const compared = suite('cmsgpack against redis');

compareWithRedis(
  compared,
  String.raw`
return {cmsgpack._NAME,cmsgpack._VERSION,cmsgpack._COPYRIGHT,cmsgpack._DESCRIPTION}
return cmsgpack.pack(1)
return cmsgpack.pack(-1,127,128,255,256,65535,65536,4294967295,4294967296,-32,-33,-128,-129,-32768,-32769,-2147483648,-2147483649,2^53,-2^53)
return cmsgpack.pack(1.5,0.1,1/0,-1/0,2^63,-2^63,1e300)
return cmsgpack.pack("a",string.rep("x",31),string.rep("x",32),string.rep("x",255),string.rep("x",256),string.rep("x",65536))
return cmsgpack.pack(true,false,nil,{})
return cmsgpack.pack({1,2,3},{a=1},{1,nil,3},{[1]=1,[2]=2,x=3},{[1.5]=1})
local t={} for i=1,20 do t[i]=i end return cmsgpack.pack(t)
local t={} for i=1,20 do t["k"..i]=i end return cmsgpack.pack(t)
local t={} for i=1,70000 do t[i]=1 end return redis.sha1hex(cmsgpack.pack(t))
local t={} for i=1,20 do t={t} end return cmsgpack.pack(t)
local t={} t[1]=t return cmsgpack.pack(t)
local t={} for i=1,9 do t[i]=i end t[5]=nil return cmsgpack.pack(t)
return cmsgpack.pack(function() end)
return cmsgpack.pack()
return {cmsgpack.unpack(cmsgpack.pack(1,"a",{1,2},-5,1e10,-1e12,true,false))}
return cmsgpack.unpack("\145")
return cmsgpack.unpack("\193")
return cmsgpack.unpack("")
return cmsgpack.unpack("\205\1")
return cmsgpack.unpack("\219\255\255\255\255a")
return cmsgpack.unpack("\221\255\255\255\255a")
return cmsgpack.unpack("\129\192\1")
return cmsgpack.unpack(nil)
return cmsgpack.unpack({})
return tostring(cmsgpack.unpack("\207\255\255\255\255\255\255\255\255"))
return tostring(cmsgpack.unpack("\207\1\255\255\255\255\255\255\255"))
return tostring(cmsgpack.unpack("\211\255\255\255\255\255\255\255\254"))
return tostring(cmsgpack.unpack("\202\63\192\0\0"))
return tostring(cmsgpack.unpack("\203\63\248\0\0\0\0\0\0"))
return {cmsgpack.unpack("\208\255\209\255\254\210\255\255\255\253\204\200\205\1\2\206\255\0\0\0")}
return {cmsgpack.unpack_one(cmsgpack.pack(1,2,3))}
return {cmsgpack.unpack_one(cmsgpack.pack(1,2,3),1)}
return {cmsgpack.unpack_one(cmsgpack.pack(1,2,3),2)}
return {cmsgpack.unpack_one(cmsgpack.pack(1,2,3),3)}
return {cmsgpack.unpack_one(cmsgpack.pack(1,2,3),4)}
return {cmsgpack.unpack_one(cmsgpack.pack(1,2,3),-1)}
return {cmsgpack.unpack_limit(cmsgpack.pack(1,2,3),2)}
return {cmsgpack.unpack_limit(cmsgpack.pack(1,2,3),2,1)}
return {cmsgpack.unpack_limit(cmsgpack.pack(1,2,3),0)}
return {cmsgpack.unpack_limit(cmsgpack.pack(1,2,3),-1)}
return {cmsgpack.unpack_limit(cmsgpack.pack(1,2,3))}
return select("#",cmsgpack.unpack(string.rep("\1",5000)))
return select("#",cmsgpack.unpack(string.rep("\1",9000)))
`,
);

if (needs(redisProgram())) compared.run();
