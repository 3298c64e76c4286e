/** Commands of Redis 7.4 as rules of users name them. */

/** Words of a text, between its white space. */
export function wordsOf(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** Commands without subcommands. */
export const COMMANDS = wordsOf(`
  append asking auth bgrewriteaof bgsave bitcount bitfield bitfield_ro bitop bitpos blmove blmpop blpop brpop
  brpoplpush bzmpop bzpopmax bzpopmin copy dbsize debug decr decrby del discard dump echo eval eval_ro evalsha
  evalsha_ro exec exists expire expireat expiretime failover fcall fcall_ro flushall flushdb geoadd geodist
  geohash geopos georadius georadius_ro georadiusbymember georadiusbymember_ro geosearch geosearchstore get
  getbit getdel getex getrange getset hdel hello hexists hexpire hexpireat hexpiretime hget hgetall hincrby
  hincrbyfloat hkeys hlen hmget hmset hpersist hpexpire hpexpireat hpexpiretime hpttl hrandfield hscan hset
  hsetnx hstrlen httl hvals incr incrby incrbyfloat info keys lastsave lcs lindex linsert llen lmove lmpop
  lolwut lpop lpos lpush lpushx lrange lrem lset ltrim mget migrate monitor move mset msetnx multi persist
  pexpire pexpireat pexpiretime pfadd pfcount pfdebug pfmerge pfselftest ping psetex psubscribe psync pttl
  publish punsubscribe quit randomkey readonly readwrite rename renamenx replconf replicaof reset restore
  restore-asking role rpop rpoplpush rpush rpushx sadd save scan scard sdiff sdiffstore select set setbit setex
  setnx setrange shutdown sinter sintercard sinterstore sismember slaveof smembers smismember smove sort
  sort_ro spop spublish srandmember srem sscan ssubscribe strlen subscribe substr sunion sunionstore
  sunsubscribe swapdb sync time touch ttl type unlink unsubscribe unwatch wait waitaof watch xack xadd
  xautoclaim xclaim xdel xlen xpending xrange xread xreadgroup xrevrange xsetid xtrim zadd zcard zcount zdiff
  zdiffstore zincrby zinter zintercard zinterstore zlexcount zmpop zmscore zpopmax zpopmin zrandmember zrange
  zrangebylex zrangebyscore zrangestore zrank zrem zremrangebylex zremrangebyrank zremrangebyscore zrevrange
  zrevrangebylex zrevrangebyscore zrevrank zscan zscore zunion zunionstore
`);

export const SUBCOMMANDS = wordsOf(`
  acl|cat acl|deluser acl|dryrun acl|genpass acl|getuser acl|help acl|list acl|load acl|log acl|save
  acl|setuser acl|users acl|whoami client|caching client|getname client|getredir client|help client|id
  client|info client|kill client|list client|no-evict client|no-touch client|pause client|reply client|setinfo
  client|setname client|tracking client|trackinginfo client|unblock client|unpause cluster|addslots
  cluster|addslotsrange cluster|bumpepoch cluster|count-failure-reports cluster|countkeysinslot
  cluster|delslots cluster|delslotsrange cluster|failover cluster|flushslots cluster|forget
  cluster|getkeysinslot cluster|help cluster|info cluster|keyslot cluster|links cluster|meet cluster|myid
  cluster|myshardid cluster|nodes cluster|replicas cluster|replicate cluster|reset cluster|saveconfig
  cluster|set-config-epoch cluster|setslot cluster|shards cluster|slaves cluster|slots command|count
  command|docs command|getkeys command|getkeysandflags command|help command|info command|list config|get
  config|help config|resetstat config|rewrite config|set function|delete function|dump function|flush
  function|help function|kill function|list function|load function|restore function|stats latency|doctor
  latency|graph latency|help latency|histogram latency|history latency|latest latency|reset memory|doctor
  memory|help memory|malloc-stats memory|purge memory|stats memory|usage module|help module|list module|load
  module|loadex module|unload object|encoding object|freq object|help object|idletime object|refcount
  pubsub|channels pubsub|help pubsub|numpat pubsub|numsub pubsub|shardchannels pubsub|shardnumsub script|debug
  script|exists script|flush script|help script|kill script|load slowlog|get slowlog|help slowlog|len
  slowlog|reset xgroup|create xgroup|createconsumer xgroup|delconsumer xgroup|destroy xgroup|help xgroup|setid
  xinfo|consumers xinfo|groups xinfo|help xinfo|stream
`);

export const CONTAINERS = wordsOf(`
  acl client cluster command config function latency memory module object pubsub script slowlog xgroup xinfo
`);

export const CATEGORIES = wordsOf(`
  keyspace read write set sortedset list hash string bitmap hyperloglog geo stream pubsub admin fast slow blocking
  dangerous connection transaction scripting
`);
