#!/usr/bin/env perl
use strict;
use warnings;
use IO::Socket::INET;
use JSON::PP;

$| = 1;
$SIG{CHLD} = 'IGNORE';
my $server = IO::Socket::INET->new(
    LocalAddr => '127.0.0.1', LocalPort => 18153, Listen => 16, ReuseAddr => 1,
) or die "cannot listen: $!";
my $visits = 0;
warn "counter is up, this is not an error\n";

while (1) {
    my $client = $server->accept or next;
    my $request = <$client>;
    if (!defined $request) { close $client; next }
    while (my $line = <$client>) { last if $line =~ /^\r?\n$/ }
    $visits++ if $request =~ m{^GET /visit };
    next if fork;
    my $body = encode_json({ visits => $visits });
    print $client "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ", length $body,
        "\r\nConnection: close\r\n\r\n$body";
    close $client;
    exit;
}
