# What applications do with Redis.pm: values, callbacks in a pipeline, transactions, pub/sub, scripts. Port: $ARGV[0].

use strict;
use warnings;
use Redis;

sub check {
    my ($is_true, $what) = @_;
    die "$what\n" unless $is_true;
}

my $client = Redis->new(server => "127.0.0.1:$ARGV[0]", encoding => undef);
my $binary = join '', map { chr } 0 .. 255;
$client->set('pl:binary', $binary);
check($client->get('pl:binary') eq $binary, 'binary values');
my $large = 'x' x 3_000_000;
$client->set('pl:large', $large);
check($client->get('pl:large') eq $large, 'large values');
check(!defined $client->get('pl:missing'), 'missing keys');

my $last = 0;
$client->rpush('pl:list', $_, sub { $last = $_[0] }) for 1 .. 1_000;
$client->wait_all_responses;
check($last == 1_000, 'pipelines');

$client->multi;
$client->incr('pl:counter');
$client->hset('pl:hash', 'a', 1);
my @replies = $client->exec;
check("@replies" eq '1 1', 'transactions');

check(!eval { $client->lpush('pl:hash', 1); 1 } && $@ =~ /WRONGTYPE/, 'errors');

my $subscriber = Redis->new(server => "127.0.0.1:$ARGV[0]");
my $heard = '';
$subscriber->subscribe('pl:channel', sub { $heard = $_[0] });
check($client->publish('pl:channel', 'hello') == 1, 'publishes');
$subscriber->wait_for_messages(1) while $heard eq '';
check($heard eq 'hello', 'messages');

my @scripted = $client->eval("return {KEYS[1], ARGV[1]}", 1, 'pl:scripted', 'x');
check("@scripted" eq 'pl:scripted x', 'scripts');
print "done\n";
