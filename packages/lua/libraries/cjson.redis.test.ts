import { needs, redisProgram } from '#testkit';
import { suite } from 'uvu';
import { compareWithRedis } from '../script-runner.test-helper.ts';

const compared = suite('cjson against redis');

compareWithRedis(
  compared,
  String.raw`
return cjson.encode({1,2,{a=1}})
return cjson.encode({})
return cjson.encode({[1]=1,[3]=3})
return cjson.encode({a={},b=cjson.null})
return cjson.encode("a/\"\\\b\f\n\r\t\1\127é")
return cjson.encode({1.5,1e20,-0.1,0,1e14,123456789012345,1e-7,0.0001,100,12345678901234.5})
return cjson.encode({1/3,2/3,1e15/3,1e300,5e-324,-1e-5})
return cjson.encode(0/0)
return cjson.encode(1/0)
return cjson.encode(function() end)
return cjson.encode({[{}]=1})
return cjson.encode({[true]=1})
return cjson.encode({[1.5]=1})
return cjson.encode({[-1]=1})
return cjson.encode({[0]=1})
return cjson.encode({[1e10]=1})
return cjson.encode({[20]=1})
return cjson.encode({[10]=1})
return cjson.encode(nil)
return cjson.encode()
return cjson.encode(1,2)
return cjson.encode(true)
return cjson.encode(coroutine.create(function() end))
return cjson.encode(newproxy())
local t={} for i=1,20 do t={t} end return cjson.encode(t)
local t={} for i=1,1001 do t={t} end return cjson.encode(t)
local t={} t[1]=t return cjson.encode(t)
local t={x=1} t.t=t return cjson.encode(t)
local t={} for i=1,9 do t[i]=i end t[7]=nil return cjson.encode(t)
local t={} for i=1,5 do t["k"..i]=i end return cjson.encode(t)
local t={} for i=1,40 do t["key:"..i]=i end return cjson.encode(t)
local t={} for i=10,1,-1 do t[i]=i end return cjson.encode(t)
return cjson.decode("1")
return cjson.decode("[1,2,3]")
return cjson.decode("{\"a\":1}").a
return cjson.decode("null") == cjson.null
return cjson.decode("[null]")
return cjson.decode("true")
return cjson.decode("\"\\u00e9\\ud83d\\ude00\\n\\/\"")
return cjson.decode("\"\\ud83d\"")
return cjson.decode("\"\\udc00\"")
return cjson.decode("\"\\ud83dx\"")
return cjson.decode("\"\\ud83d\\u0041\"")
return cjson.decode("\"\\u12g4\"")
return cjson.decode("\"\\x\"")
return cjson.decode("\"abc")
return cjson.decode("\"\\u0000x\"")
return cjson.decode("[1,")
return cjson.decode("[1")
return cjson.decode("[1 2]")
return cjson.decode("{1}")
return cjson.decode("{\"a\"}")
return cjson.decode("{\"a\":}")
return cjson.decode("{\"a\":1")
return cjson.decode("{\"a\":1,}")
return cjson.decode("[1,]")
return cjson.decode("1 2")
return cjson.decode("")
return cjson.decode(" ")
return cjson.decode("@")
return cjson.decode("nul")
return cjson.decode("tru")
return cjson.decode("nope")
return cjson.decode("1\0garbage")
return cjson.decode("\0")
return cjson.decode("a\0")
return cjson.decode("")
return cjson.decode(nil)
return cjson.decode()
return cjson.decode(5)
return cjson.decode("1","2")
return tostring(cjson.decode("1.5"))
return tostring(cjson.decode("-1.5e10"))
return tostring(cjson.decode("1e-5"))
return tostring(cjson.decode("0x1F"))
return tostring(cjson.decode("0x1.8p3"))
return tostring(cjson.decode("012"))
return tostring(cjson.decode("nan"))
return tostring(cjson.decode("inf"))
return tostring(cjson.decode("-Infinity"))
return tostring(cjson.decode("+5"))
return tostring(cjson.decode("-"))
return tostring(cjson.decode("1."))
return tostring(cjson.decode("1e"))
return tostring(cjson.decode(".5"))
return tostring(cjson.decode("123456789012345678901234567890"))
return tostring(cjson.decode("0.1234567890123456789"))
return tostring(cjson.decode("1e400"))
return cjson.decode("[[[[1]]]]")
return cjson.decode(string.rep("[",1001)..string.rep("]",1001))
return cjson.decode(string.rep("{\"a\":",1001).."1"..string.rep("}",1001))
cjson.decode_invalid_numbers(false) local r={pcall(cjson.decode,"0x1F")} cjson.decode_invalid_numbers(true) return r
cjson.decode_invalid_numbers(false) local r={pcall(cjson.decode,"nan")} cjson.decode_invalid_numbers(true) return r
cjson.decode_invalid_numbers(false) local r={pcall(cjson.decode,"01")} cjson.decode_invalid_numbers(true) return r
cjson.decode_invalid_numbers(false) local r={pcall(cjson.decode,"-inf")} cjson.decode_invalid_numbers(true) return r
cjson.encode_invalid_numbers(true) local r=cjson.encode({0/0,1/0,-1/0}) cjson.encode_invalid_numbers(false) return r
cjson.encode_invalid_numbers("null") local r=cjson.encode({0/0,1/0,-1/0}) cjson.encode_invalid_numbers("off") return r
return {cjson.encode_sparse_array()}
local r={cjson.encode_sparse_array(true,3,5)} r[4]=cjson.encode({[50]=1}) cjson.encode_sparse_array(false,2,10) return r
return cjson.encode_sparse_array("bogus")
return cjson.encode_sparse_array(1)
return cjson.encode_sparse_array(1,2,3,4)
return cjson.encode_max_depth()
return cjson.encode_max_depth(0)
return cjson.encode_max_depth("x")
return cjson.decode_max_depth()
return cjson.encode_number_precision()
return cjson.encode_number_precision(15)
cjson.encode_number_precision(3) local r=cjson.encode({1/3,12345,1000,999.5,0.5,2.5,0.125,1e10}) cjson.encode_number_precision(14) return r
return cjson.encode_keep_buffer()
return cjson.encode_keep_buffer(true,1)
return cjson.encode_invalid_numbers()
return cjson.encode_invalid_numbers("x")
local c=cjson.new() return {c.encode_max_depth(3),cjson.encode_max_depth(),c.encode({1})}
local c=cjson.new() c.encode_max_depth(2) return c.encode({{{1}}})
return {cjson._NAME,cjson._VERSION}
`,
);

if (needs(redisProgram())) compared.run();
