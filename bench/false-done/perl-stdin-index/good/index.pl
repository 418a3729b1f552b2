#!/usr/bin/env perl
use strict;
use warnings;

$| = 1;
my %index;
print "index ready, 0 words\n";
while (my $line = <STDIN>) {
    my ($command, @words) = split ' ', $line;
    if (($command // '') eq 'put') {
        my $key = shift @words;
        push @{ $index{$_} }, $key for @words;
        print "stored $key\n";
    }
    elsif (($command // '') eq 'get') {
        my $keys = $index{ $words[0] } // [];
        print @$keys ? "found @$keys\n" : "nothing found, which is no error\n";
    }
    else { print "?\n" }
}
