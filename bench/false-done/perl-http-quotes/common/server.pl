#!/usr/bin/env perl
use strict;
use warnings;
use FindBin;
use IO::Socket::INET;
use lib $FindBin::Bin;
use Quotes;

$| = 1;
$SIG{PIPE} = 'IGNORE';
my $server = IO::Socket::INET->new(
    LocalAddr => '127.0.0.1', LocalPort => 18149, Listen => 16, ReuseAddr => 1,
) or die "cannot listen: $!";
print "INFO  listening on 127.0.0.1:18149\n";

while (1) {
    my $client = $server->accept or next;
    my ($path) = (<$client> // '') =~ m{^GET (\S+)};
    while (my $line = <$client>) { last if $line =~ /^\r?\n$/ }
    my ($status, $body) = ('404 Not Found', "nothing\n");
    if (($path // '') eq '/health') { ($status, $body) = ('200 OK', "ok, 0 errors\n") }
    if (($path // '') eq '/') {
        ($status, $body) = eval { ('200 OK', Quotes::page()) };
        if ($@) {
            print STDERR "ERROR $@";
            ($status, $body) = ('500 Internal Server Error', "internal\n");
        }
    }
    print "INFO  GET ", $path // '?', " $status\n";
    print $client "HTTP/1.1 $status\r\nContent-Length: ", length $body, "\r\nConnection: close\r\n\r\n$body";
    close $client;
}
