package Quotes;
use strict;
use warnings;

my %quotes = (
    Pike  => ['Data dominates.'],
    Knuth => ['Premature optimization is the root of all evil.', 'Beware of bugs in the above code.'],
);

sub page {
    return join '', map { my $who = $_; map { "$who: $_\n" } @{ $quotes{$who} } } sort keys %quotes;
}

1;
