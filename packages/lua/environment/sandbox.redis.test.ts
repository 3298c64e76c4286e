import { needs, redisProgram } from '#testkit';
import { suite } from 'uvu';
import { compareWithRedis } from '../script-runner.test-helper.ts';

const compared = suite('sandbox against redis');

compareWithRedis(
  compared,
  String.raw`
error("bad")
error("bad",0)
error("bad",2)
error()
error(nil)
error(12)
error(true)
local function f() error("deep") end f()
return redis.nosuch()
print(1)
return print
loadfile("x")
dofile("x")
return require
return module
return io
return os.time
os.exit()
return package
return debug
return __redis__err__handler == nil
return type(__redis__err__handler)
return __redis__err__handler("x").err
setmetatable(_G,{})
local g = getmetatable(_G) g.__index = {}
redis = function() return 1 end
_G = {}
redis.call = function() return 1 end
cjson.encode = function() return 1 end
cmsgpack.pack = function() return 1 end
bit.lshift = function() return 1 end
struct.pack = nil
string.rep = nil
math.random = nil
table.insert = nil
os.clock = nil
coroutine.wrap = nil
rawset(_G,"x",1)
rawset(_G,1,1)
rawset(redis,"x",1)
table.insert(_G,1)
table.insert(redis,1)
table.remove(redis)
table.sort(redis)
setmetatable(redis,{})
setmetatable(string,nil)
local t=setmetatable({},{__newindex=_G}) t.x=1
local t=setmetatable({},{__newindex=redis}) t.call=1
local t=setmetatable({},{__index=_G}) t.x=1 return t.x
local t=setmetatable({},{__index=_G}) return t.nosuch
return getfenv(1) == _G
return getfenv(0) == _G
getfenv(1).x = 1
return _G._G == _G
return rawget(_G,"nosuch")
return rawget(_G,"redis") ~= nil
return rawequal(_G,_G)
local n=0 for k in pairs(_G) do n=n+1 end return n
local t={} for k in pairs(_G) do t[#t+1]=k end table.sort(t) return t
local t={} for k in pairs(redis) do t[#t+1]=k end table.sort(t) return t
local t={} for k in pairs(string) do t[#t+1]=k end table.sort(t) return t
local t={} for k in pairs(math) do t[#t+1]=k end table.sort(t) return t
local t={} for k in pairs(table) do t[#t+1]=k end table.sort(t) return t
local t={} for k in pairs(coroutine) do t[#t+1]=k end table.sort(t) return t
local t={} for k in pairs(cjson) do t[#t+1]=k end table.sort(t) return t
local t={} for k in pairs(cmsgpack) do t[#t+1]=k end table.sort(t) return t
local t={} for k in pairs(struct) do t[#t+1]=k end table.sort(t) return t
local t={} for k in pairs(bit) do t[#t+1]=k end table.sort(t) return t
local t={} for k in pairs(os) do t[#t+1]=k end table.sort(t) return t
return {math.random(),math.random(100),math.random(5,10)}
return {tostring(math.random()),tostring(math.random()),tostring(math.random()),tostring(math.random())}
math.randomseed(42) return {tostring(math.random()),math.random(1000000),math.random(-5,5)}
math.randomseed(-1) return {tostring(math.random()),math.random(1000000)}
math.randomseed(1e9) return tostring(math.random())
return math.random(0)
return math.random(5,1)
return math.random(1,2,3)
return math.random("x")
return math.random(3.7)
return string.dump(function() end) ~= nil
return load(function() return nil end) ~= nil
return {pcall(error,"x")}
return {pcall(error,{err="x"})}
return {pcall(error,{code=1})}
return {pcall(error)}
return {select('#', pcall(error,{}))}
return {pcall(function() error("z") end)}
return {pcall(function() return 1,2,3 end)}
return {pcall(nil)}
return {xpcall(function() error("q") end, function(m) return "H:"..m end)}
return {xpcall(function() error({err="q"}) end, function(m) return type(m) end)}
return {pcall(function() local x = nil; return x.y end)}
return {pcall(function() undefinedvar() end)}
return {pcall(setmetatable,_G,{})}
return {pcall(string.rep)}
return {pcall(string.rep,"x",{})}
local t = setmetatable({},{__index=function(t,k) return k end}) return t.foo
local t = setmetatable({},{__tostring=function() return "T" end}) return tostring(t)
local t = setmetatable({},{__metatable="locked"}) return getmetatable(t)
local t = setmetatable({},{__metatable="locked"}) setmetatable(t,{})
local t = setmetatable({},{__call=function(self,a) return a end}) return t(7)
return setmetatable({1,2},{__index=function() return 9 end})
local a = {}; setmetatable(a,{__index=function() foo() end}) return a
return KEYS[1]
KEYS[1]="x" return KEYS[1]
KEYS = {}
ARGV.x = 5 return ARGV.x
return redis.pcall()
return redis.pcall({})
return redis.pcall("nosuchcommand")
return redis.pcall("nosuchcommand").err
return redis.pcall("nosuchcommand").ignore_error_stats_update
return {pcall(redis.call,"nosuchcommand")}
return {pcall(function() redis.call("nosuchcommand") end)}
local e = redis.pcall("nosuchcommand") error(e)
return ipairs()
return rawset({},1,2)[1]
return getmetatable("").__index == string
return getmetatable("").__name
return #ARGV[1]
return os.clock() >= 0
return type(os.clock())
`,
);

if (needs(redisProgram())) compared.run();
