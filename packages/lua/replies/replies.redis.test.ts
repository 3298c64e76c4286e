import { needs, redisProgram } from '#testkit';
import { suite } from 'uvu';
import { compareWithRedis } from '../script-runner.test-helper.ts';

const compared = suite('replies against redis');

compareWithRedis(
  compared,
  String.raw`
return 1
return {1,2,{3,"x"},nil,4}
return {}
return nil
return true
return false
return 3.99
return -3.99
return 1e300
return -1e300
return 0/0
return 2^53
return 2^63
return -2^63
return 9007199254740993
return {9007199254740985, 9007199254740991, -9007199254740989, -9007199254740983}
return "x\0y"
return {ok="OK\r\nx"}
return {ok="OK"}
return {ok=1}
return {err="ERR boo"}
return {err="boo"}
return {err="a\nb"}
return {err="x", source="s", line=3}
return {double=3.5}
return {double=1/0}
return {double=1e100}
return {double=0.1}
return {double="x"}
return {big_number="12345"}
return {verbatim_string={format="txt",string="hello"}}
return {verbatim_string={format="t",string="hello"}}
return {verbatim_string={string="hello"}}
return {map={a=1}}
return {map={a={1,2}}}
return {set={a=true}}
return {map={}}
return {set={}}
return {1,{ok="fine"},{err="bad"},{double=2.5},{map={x={y=1}}}}
return redis.error_reply("X y")
return redis.error_reply("-X y")
return redis.error_reply("X")
return redis.error_reply("")
return redis.error_reply(1)
return redis.error_reply()
return redis.status_reply("FINE")
return redis.status_reply()
return redis.status_reply({})
return redis.sha1hex("")
return redis.sha1hex("abc\0d")
return redis.sha1hex(12)
return redis.sha1hex()
return redis.sha1hex(1,2)
return {redis.LOG_DEBUG,redis.LOG_VERBOSE,redis.LOG_NOTICE,redis.LOG_WARNING}
return {redis.REPL_NONE,redis.REPL_AOF,redis.REPL_SLAVE,redis.REPL_REPLICA,redis.REPL_ALL}
return redis.replicate_commands()
return redis.breakpoint()
error({err="MY err"})
error({err="MY err"},2)
local function f() error({err="T deep"}) end f()
return 1 + nil
return 1 + {}
return {} .. "x"
return {} < {}
return 1 < "x"
return __redis__err__handler({err="q"}).source
return 10 % 3 .. ""
return -10 % 3 .. ""
return 5.5 % -2 .. ""
return {unpack({1,2,3})}
return {unpack({1,2,3},2,3)}
return {coroutine.resume(coroutine.create(function() return 1 end))}
return {coroutine.resume(coroutine.create(function() error("c") end))}
assert(false,{err="A b"})
return "a" .. 1 .. 2.5
return 0x10
return 1e2
return {KEYS[1],KEYS[2],ARGV[1],#KEYS,#ARGV}
return redis.call()
return redis.call({})
return redis.call(nil)
redis.setresp(3) return true
redis.setresp(3) return false
redis.setresp(3) return {true,false}
return redis.call("nosuchcommand")
return {("x"):byte(-1)}
return 7 == 7.0
return "10"+5
return "0x10"+0
return "a"+1
return -"2"
return 2^31
return 2^31 % 7
return {[1]="a",[2]="b",n=3}
return {"a",nil,"c"}
return {n=1}
return {next({})}
return {("abc"):find("b",1,true)}
return redis.call("GET","str")
return redis.call("GET","none")
return redis.call("SET","str","v\0w")
return redis.call("SET","str","v\0w").ok
return redis.call("STRLEN","str")
return redis.call("LRANGE","list",0,-1)
return redis.call("LPOP","none",1)
return redis.call("HGETALL","hash")
return redis.call("SMEMBERS","set")
return redis.call("ZSCORE","zset","m")
return redis.call("ZRANGE","zset",0,-1,"WITHSCORES")
return redis.call("MGET","str","none","str")
return type(redis.call("GET","none"))
return redis.call("INCR","hash")
return redis.pcall("INCR","hash")
return redis.pcall("INCR","hash").err
return {pcall(redis.call,"INCR","hash")}
local ok, e = pcall(function() return redis.call("INCR","hash") end) error(e)
redis.setresp(3) return redis.call("GET","none")
redis.setresp(3) return redis.call("GET","none") == nil
redis.setresp(3) return redis.call("LPOP","none",1)
redis.setresp(3) return redis.call("HGETALL","hash")
redis.setresp(3) return redis.call("HGETALL","hash").map.a
redis.setresp(3) return redis.call("SMEMBERS","set")
redis.setresp(3) return redis.call("SMEMBERS","set").set.x
redis.setresp(3) return redis.call("ZSCORE","zset","m")
redis.setresp(3) return redis.call("ZSCORE","zset","m").double == 1.5
redis.setresp(3) return redis.call("ZRANGE","zset",0,-1,"WITHSCORES")
redis.setresp(3) return redis.call("MGET","str","none","str")
redis.setresp(3) return #redis.call("MGET","str","none","str")
redis.setresp(3) return {redis.call("MGET","str","none","str")[3]}
local t={} for i=1,100 do t={t} end return t
local t={} for i=1,9000 do t={t} end return t
local a = {}; local b = {a}; a[1] = b; return a
return {string.rep("x",5000),string.rep("y",20000),1}
local t={} for i=1,5000 do t[i]=i end return t
return {map={a={map={b={set={c=true}}}}}}
return {err="A\r\nB"}
return {ok="A\r\nB\0C"}
error({err="-X y"})
`,
);

if (needs(redisProgram())) compared.run();
