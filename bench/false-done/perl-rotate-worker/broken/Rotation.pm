package Rotation;
use strict;
use warnings;

sub new {
    my ($class, %options) = @_;
    return bless { limit => $options{limit}, size => 0, rotated => 0 }, $class;
}

sub rotate {
    my ($self) = @_;
    $self->{size} = 0;
    return ++$self->{rotated};
}

sub round {
    my ($self) = @_;
    return 'nothing to do' if ++$self->{size} < $self->{limit};
    return 'rotated, ' . $self->rotate_all . ' in total';
}

1;
