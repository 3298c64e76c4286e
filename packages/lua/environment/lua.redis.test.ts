import { needs, redisProgram } from '#testkit';
import { suite } from 'uvu';
import { compareWithRedis } from '../script-runner.test-helper.ts';

const compared = suite('lua against redis');

compareWithRedis(
  compared,
  String.raw`
local t = nil; return t.x
local t = nil; t.x = 1
return #nil
foo()
return string.nosuch()
a=1
return a
return next(os)
return _VERSION
return tostring(math.pi)
return {tostring(math.huge),tostring(-math.huge),tostring(0/0)}
return tostring(1e15)
return tostring(123456789012345)
return tostring(0.1)
return tostring(1e100)
return tostring(-0.0)
return tostring(2^0.5)
return math.floor(-3.5)
return {math.modf(3.7)}
return {math.frexp(10)}
return math.fmod(7,3)
return math.max()
return math.ldexp(1,10)
return tostring(math.sin(1))
return string.format("%d %x %X %o %5d|%-5d|%05d|%+d|% d",1e10,255,255,8,2^40,7,42,1,2)
return string.format("%d",-1)
return string.format("%x",-1)
return string.format("%u",-1)
return string.format("%u",2^40)
return string.format("%X",2^40+255)
return string.format("%o",2^40)
return string.format("%#x",2^40)
return string.format("%20d|%-20d|%020d|%.15d",2^40,2^40,2^40,2^40)
return string.format("%+d|% d",2^40,2^40)
return string.format("%d",2^63)
return string.format("%d",1e300)
return string.format("%d","12345678901")
return string.format("%d",3.99)
return string.format("%d",-3.99)
return string.format("%s|%10s|%-10s|%.2s","a","b","c","def")
return string.format("%q","a\n\"\\\0b")
return string.format("%c%c",65,66)
return string.format("%5.1f|%e|%g|%G",3.14159,12345.678,1e20,1e-10)
return string.format("%a",1)
return string.format("%d","x")
return string.format("%d")
return string.format("%y",1)
return string.format("%123d",1)
return string.format("%%")
return string.format("%")
return string.format()
return string.format({})
return string.format("%s",nil)
return string.format("%s",{}):sub(1,6)
return string.format("%d%%",50)
return string.format("%i",2^33)
return string.format("%s %d","x",2^33)
return tonumber("ffffffffff",16)
return tonumber("0xff",16)
return tonumber("-ff",16)
return tonumber("zz",36)
return tonumber("12",2)
return tonumber("",16)
return tonumber(" 11 ",2)
return tonumber("ffffffffffffffffffff",16)
return tonumber("10",10)
return tonumber("0x10")
return tonumber("1e3")
return tonumber("abc")
return tonumber("12abc")
return tonumber(nil)
return tonumber()
return tonumber({})
return tonumber("10",99)
return tonumber(15,16)
return tonumber("1 ")
return tonumber("1\0")
return tonumber("7fffffffffffffff",16) == 2^63
return string.sub("hello",2,1e10)
return string.sub("hello",-1e10,2)
return string.sub("hello",2)
return string.sub("hello",-3,-2)
return string.sub("hello",1,math.huge)
return string.sub("hello",0/0)
return {string.byte("hello",1,-1)}
return {string.byte("hello",1,1e10)}
return {string.find("hello world","o w")}
return {string.find("hello","l+")}
return {string.find("hello","xyz")}
return {string.find("a.b",".",1,true)}
return {string.match("key=val","(%w+)=(%w+)")}
return {string.gsub("hello","l","L")}
return {string.gsub("hello","(l)(o)","%2%1")}
return string.gsub("hello","l",{l="1"})
return string.gsub("abc","%w","%%%0")
return string.rep("ab",3)
return string.rep("x",0)
return string.rep("x",-1)
return string.reverse("abc")
return string.upper("aé")
return string.len("a\0b")
return string.char(255,0,1)
return string.char(256)
return ("x"):rep(3)
return ("%s"):format(5)
return loadstring(string.dump(function() return 1 end))()
return loadstring("return 5")()
return select(2,loadstring("return ("))
return select(2,loadstring("\27abc"))
return table.concat({1,2,3},",")
return table.concat({1,{},3},",")
return table.concat({},"x")
return select("#",1,nil,nil)
return select(-1,1,2,3)
return select(0)
local t={3,1,2} table.sort(t) return t
local t={3,1,2} table.sort(t,function(a,b) return a>b end) return t
local t={1,2,3} table.remove(t,1) return t
local t={} table.insert(t,1,"x") table.insert(t,"y") return t
return table.getn({1,2,3})
return table.maxn({1,2,[10]=3})
local co=coroutine.wrap(function() coroutine.yield(1) coroutine.yield(2) end) return {co(),co()}
return coroutine.yield(1)
return coroutine.running()
return coroutine.status(coroutine.create(function() end))
return assert(false,"msg")
return assert(nil)
return assert(1)
return type(collectgarbage("count"))
return collectgarbage("bogus")
return gcinfo() > 0
local p = newproxy(true) return type(p)
local a = {}; local b = {a}; a[1] = b; return #a
for i=1,3 do local x = i end return i
local s = 0 for i=1,100 do s = s + i end return s
local t={} for i=1,10 do t[i]=i*i end return t
goto x
return (
x = = 1
return 'unfinished
return [[long
string]]
--[[ comment ]] return 1
local s=string.gsub("x",".",function() return "y" end) return s
return {string.gsub("abc","b",function() return nil end)}
local t={} for w in string.gmatch("a b c","%a") do t[#t+1]=w end return t
return string.format("%.20s|","abc\0def")
return tostring(12):len()
return math.floor(2^31+0.5)
local a,b,c = (function() return 1,2,3 end)() return {a,b,c}
return (function(...) return select('#',...) end)(nil,nil)
return (function(...) return arg end)(1,2)
return tostring(nil)
return tostring()
return type()
return next({},1)
return rawget("x",1)
local function f(n) return n == 0 and 0 or f(n-1) end return f(10000)
local function f(n) if n == 0 then return 0 end return 1 + f(n-1) end return f(10000)
local function f() return f() + 1 end return f()
local function f() local s=string.gsub("x",".",f) end f()
return string.find("a","[a")
return string.find("a","%")
return string.find("a","(")
return string.rep("a",10,","):len()
return {string.find("abc","b",-1)}
return {string.find("","")}
return {string.find("abc","",10)}
return string.format("%5s%%%-5s|","a","b")
`,
);

if (needs(redisProgram())) compared.run();
