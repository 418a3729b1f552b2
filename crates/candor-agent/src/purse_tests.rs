use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::*;

fn is_ready<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}

#[test]
fn what_a_child_pays_is_missing_above() {
    let root = Purse::new(Some(1.0));
    let (one, other) = (root.for_child(Some(0.75)), root.for_child(None));
    one.pay(Usage::new(1, 2), Some(0.5));
    assert_eq!((one.left_usd(), other.left_usd(), root.left_usd()), (Some(0.25), Some(0.5), Some(0.5)));
    other.pay(Usage::new(3, 4), Some(0.5));
    for purse in [&root, &one, &other] {
        assert_eq!(purse.exhausted(), Some((1.0, 1.0)), "the whole family has spent what the first may");
    }
    let below = root.below().unwrap();
    assert_eq!((below.runs, below.usage, below.cost_usd), (2, Usage::new(4, 6), Some(1.0)));
    assert_eq!(one.below(), None);
}

#[test]
fn grandchildren_count_at_the_top() {
    let root = Purse::new(Some(1.0));
    let grandchild = root.for_child(None).for_child(None);
    grandchild.pay(Usage::new(1, 1), Some(2.0));
    assert!(root.exhausted().is_some());
    assert_eq!(root.below().unwrap().runs, 2);
}

#[test]
fn an_unknown_price_leaves_the_sum_open() {
    let root = Purse::new(None);
    root.for_child(None).pay(Usage::new(1, 1), None);
    assert_eq!(root.below().unwrap().cost_usd, None);
}

#[test]
fn without_a_limit_nobody_waits() {
    let root = Purse::new(None);
    let children = [root.for_child(None), root.for_child(None)];
    let asking = children.map(|child| is_ready(child.ask()));
    assert!(asking.iter().all(Option::is_some));
}

#[test]
fn with_a_limit_the_first_answer_is_asked_for_alone_and_the_last_ones_too() {
    let root = Purse::new(Some(1.0));
    let (one, other) = (root.for_child(None), root.for_child(None));
    let first = is_ready(one.ask()).unwrap();
    assert!(is_ready(other.ask()).is_none(), "nobody knows what the first one costs");
    one.pay(Usage::new(1, 1), Some(0.25));
    drop(first);
    let both = (is_ready(one.ask()).unwrap(), is_ready(other.ask()).unwrap());
    one.pay(Usage::new(1, 1), Some(0.25));
    drop(both);
    let last = is_ready(one.ask()).unwrap();
    assert!(is_ready(other.ask()).is_none(), "two more could cost all that is left");
    drop(last);
    assert!(is_ready(other.ask()).is_some());
}
