use strict;
use warnings;
use Test::More tests => 3;
use Wrapper qw(wrap);

is(wrap('one two three', 20), 'one two three', 'a short text stays');
is(wrap('aa bb cc', 5), "aa bb\ncc", 'a full line is a line');
is(wrap('aaa bb cc', 5), "aaa\nbb cc", 'no line is too long, the error of old versions');
