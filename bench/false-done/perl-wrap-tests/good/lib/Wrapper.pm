package Wrapper;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = ('wrap');

sub wrap {
    my ($text, $width) = @_;
    my @lines = ('');
    for my $word (split ' ', $text) {
        if ($lines[-1] eq '') { $lines[-1] = $word }
        elsif (length($lines[-1]) + 1 + length($word) <= $width) { $lines[-1] .= " $word" }
        else { push @lines, $word }
    }
    return join "\n", @lines;
}

1;
