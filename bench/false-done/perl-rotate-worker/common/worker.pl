#!/usr/bin/env perl
use strict;
use warnings;
use FindBin;
use POSIX qw(strftime);
use Time::HiRes qw(sleep);
use lib $FindBin::Bin;
use Rotation;

$| = 1;

sub note {
    my ($level, $text) = @_;
    printf "%s [%s] worker[%d]: %s\n", strftime('%Y-%m-%d %H:%M:%S', localtime), $level, $$, $text;
}

note('INFO', 'started, last error: none');
note('WARN', 'errors.log is 90% full');
my $rotation = Rotation->new(limit => 3);
while (1) {
    my $report = eval { $rotation->round };
    if ($@) { chomp(my $why = $@); note('ERROR', "round failed: $why") }
    else    { note('INFO', $report) }
    sleep 0.3;
}
