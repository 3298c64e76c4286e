<?php
// What applications do with phpredis: a connection for each request, values, pipelines, transactions, scripts. Port: argv[1].

function check(bool $isTrue, string $what): void
{
    if ($isTrue) {
        return;
    }
    fwrite(STDERR, "$what\n");
    exit(1);
}

$port = (int) $argv[1];
for ($request = 1; $request <= 200; $request += 1) {
    $each = new Redis();
    check($each->connect('127.0.0.1', $port, 30), 'connects');
    check($each->incr('php:requests') === $request, 'counts requests');
    $each->close();
}

$client = new Redis();
$client->connect('127.0.0.1', $port, 30);
$binary = implode('', array_map('chr', range(0, 255)));
check($client->set('php:binary', $binary) && $client->get('php:binary') === $binary, 'binary values');
$large = str_repeat('x', 3000000);
check($client->set('php:large', $large) && $client->get('php:large') === $large, 'large values');
check($client->get('php:missing') === false, 'missing keys');

$pipeline = $client->pipeline();
for ($number = 0; $number < 1000; $number += 1) {
    $pipeline->rPush('php:list', $number);
}
$lengths = $pipeline->exec();
check(end($lengths) === 1000, 'pipelines');

$client->watch('php:counter');
$replies = $client->multi()->incr('php:counter')->hMSet('php:hash', ['a' => 1, 'b' => 2])->exec();
check($replies === [1, true], 'transactions');
check($client->hGetAll('php:hash') === ['a' => '1', 'b' => '2'], 'hashes');

check($client->lPush('php:hash', 1) === false, 'errors');
check(str_starts_with($client->getLastError(), 'WRONGTYPE'), 'texts of errors');

$reply = $client->eval("return {KEYS[1], ARGV[1], redis.call('INCR', KEYS[1])}", ['php:scripted', 'x'], 1);
check($reply === ['php:scripted', 'x', 1], 'scripts');

for ($number = 0; $number < 500; $number += 1) {
    $client->set("php:scan:$number", $number);
}
$client->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY);
$cursor = null;
$found = [];
while (($keys = $client->scan($cursor, 'php:scan:*', 50)) !== false) {
    $found = array_merge($found, $keys);
}
check(count(array_unique($found)) === 500, 'scans');
echo "done\n";
