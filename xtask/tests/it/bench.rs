use std::time::Duration;

use xtask::bench::{Measurement, Met, Rate, Row, Starts, Suite, Unit, judge, judge_starts, page, parse};

/// Printed by divan 0.1.21 for a small made-up benchmark.
const OUTPUT: &str = "
running 0 tests

test result: ok. 0 passed; 0 failed

throughput         fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ adversarial                   │               │               │               │         │
│  ├─ 100000       28.33 µs      │ 92.43 µs      │ 29.16 µs      │ 39.67 µs      │ 10      │ 10
│  │               3.529 GB/s    │ 1.081 GB/s    │ 3.428 GB/s    │ 2.52 GB/s     │         │
│  ╰─ 1000000      287 µs        │ 295.6 µs      │ 292.7 µs      │ 291.4 µs      │ 10      │ 10
│                  3.483 GB/s    │ 3.381 GB/s    │ 3.415 GB/s    │ 3.431 GB/s    │         │
├─ call            0.514 ns      │ 1.105 ns      │ 1.075 ns      │ 1.022 ns      │ 10      │ 40960
├─ ordinary        280.6 µs      │ 313.6 µs      │ 305.6 µs      │ 303.9 µs      │ 10      │ 10
│                  3.736 GB/s    │ 3.343 GB/s    │ 3.43 GB/s     │ 3.449 GB/s    │         │
╰─ sustained                     │               │               │               │         │
   ├─ lines        286.1 µs      │ 338.8 µs      │ 299.7 µs      │ 302.5 µs      │ 10      │ 10
   │               14.31 Mitem/s │ 12.08 Mitem/s │ 13.66 Mitem/s │ 13.54 Mitem/s │         │
   ╰─ named                      │               │               │               │         │
      ├─ b         0.67 ns       │ 1.143 ns      │ 0.867 ns      │ 0.88 ns       │ 10      │ 40960
      │            1.492 GB/s    │ 874.8 MB/s    │ 1.153 GB/s    │ 1.136 GB/s    │         │
      │            2.985 Gitem/s │ 1.749 Gitem/s │ 2.306 Gitem/s │ 2.272 Gitem/s │         │
      ╰─ one word  0.659 ns      │ 1.067 ns      │ 0.882 ns      │ 0.861 ns      │ 10      │ 40960
                   12.13 GB/s    │ 7.497 GB/s    │ 9.07 GB/s     │ 9.291 GB/s    │         │
                   3.034 Gitem/s │ 1.874 Gitem/s │ 2.267 Gitem/s │ 2.322 Gitem/s │         │
";

fn measurement(name: &str, median_ns: f64, rates: &[(f64, Unit)]) -> Measurement {
    let rates: Vec<Rate> = rates.iter().map(|&(per_second, unit)| Rate { per_second, unit }).collect();
    Measurement { name: name.to_owned(), median_ns, best_rates: rates.clone(), rates }
}

/// Rounded, because 29.16 times a thousand is not 29160 to a computer.
fn rounded(measurements: Vec<Measurement>) -> Vec<Measurement> {
    let round = |figure: f64| (figure * 1e3).round() / 1e3;
    let rates = |rates: Vec<Rate>| -> Vec<Rate> {
        rates.into_iter().map(|rate| Rate { per_second: rate.per_second.round(), ..rate }).collect()
    };
    let each = |found: Measurement| {
        let rates = rates(found.rates);
        Measurement { median_ns: round(found.median_ns), best_rates: rates.clone(), rates, name: found.name }
    };
    measurements.into_iter().map(each).collect()
}

#[test]
fn the_fastest_sample_is_read_too() {
    let last = parse(OUTPUT).pop().expect("a benchmark");
    let best: Vec<f64> = last.best_rates.iter().map(|rate| (rate.per_second / 1e6).round()).collect();
    assert_eq!(best, [12_130.0, 3_034.0]);
}

#[test]
fn the_table_of_divan_is_read() {
    let expected = [
        measurement("adversarial/100000", 29_160.0, &[(3.428e9, Unit::Bytes)]),
        measurement("adversarial/1000000", 292_700.0, &[(3.415e9, Unit::Bytes)]),
        measurement("call", 1.075, &[]),
        measurement("ordinary", 305_600.0, &[(3.43e9, Unit::Bytes)]),
        measurement("sustained/lines", 299_700.0, &[(13.66e6, Unit::Items)]),
        measurement("sustained/named/b", 0.867, &[(1.153e9, Unit::Bytes), (2.306e9, Unit::Items)]),
        measurement("sustained/named/one word", 0.882, &[(9.07e9, Unit::Bytes), (2.267e9, Unit::Items)]),
    ];
    assert_eq!(rounded(parse(OUTPUT)), expected);
}

#[test]
fn other_output_holds_no_measurements() {
    assert_eq!(parse("error: could not compile\n├─ ordinary 1 ms │ 2 ms │ 3 ms │ 4 ms\n"), []);
}

fn row<'r>(rows: &'r [Row], measure: &str) -> &'r Row {
    rows.iter().find(|row| row.measure.contains(measure)).expect("a row about it")
}

#[test]
fn the_worst_of_several_figures_counts() {
    let suite = |slower: f64| Suite {
        package: "candor-log",
        target: "log",
        measurements: vec![
            measurement("lines_to_disk/1", 1.0, &[(400e3, Unit::Items)]),
            measurement("lines_to_disk/2", 1.0, &[(slower, Unit::Items)]),
        ],
    };
    let rows = judge(&[suite(299e3)]);
    let found = row(&rows, "log lines to disk");
    assert_eq!((found.measured.as_str(), found.met), ("299k lines/s", Met::No));
    assert_eq!(row(&judge(&[suite(300e3)]), "log lines to disk").met, Met::Yes);
    assert_eq!(row(&rows, "config load").met, Met::Unknown);
    assert_eq!(
        row(&rows, "config load").to_string(),
        "| config load, the worse of TOML and YAML with every key | ≤ 1.00 ms | not measured | not measured |"
    );
}

#[test]
fn growth_compares_the_first_size_with_the_last() {
    let suite = |rate_at_ten: f64| Suite {
        package: "candor-redact",
        target: "throughput",
        measurements: vec![
            measurement("adversarial/quotes 1 MiB", 1.0, &[(100e6, Unit::Bytes)]),
            measurement("adversarial/quotes 8 MiB", 1.0, &[(100e6, Unit::Bytes)]),
            measurement("adversarial/keys/1000", 1.0, &[(900e6, Unit::Bytes)]),
            measurement("adversarial/keys/10000", 1.0, &[(rate_at_ten, Unit::Bytes)]),
        ],
    };
    let judged = |rate| {
        let rows = judge(&[suite(rate)]);
        let found = row(&rows, "adversarial");
        (found.measured.clone(), found.met)
    };
    assert_eq!(judged(900e6), ("1.00 ×".to_owned(), Met::Yes));
    assert_eq!(judged(450e6), ("2.00 ×".to_owned(), Met::No));
}

#[test]
fn starts_are_judged_by_their_median_and_against_a_hello_world() {
    let times =
        |ms: u64| vec![Duration::from_millis(ms); 99].into_iter().chain([Duration::from_secs(1)]).collect();
    let rows = judge_starts(&Starts { candor: times(3), hello: times(1), binary_bytes: 4_260_000 });
    assert_eq!(rows[0].measured, "3.00 ms (95 of 100 within 3.00 ms)");
    assert_eq!((rows[0].met, rows[1].met), (Met::Yes, Met::Yes));
    assert_eq!(rows[1].measured, "3.00 ×");
    assert_eq!(rows[2].measured, "4.2 MB");
    let rows = judge_starts(&Starts { candor: times(5), hello: times(1), binary_bytes: 0 });
    assert_eq!((rows[0].met, rows[1].met), (Met::No, Met::No));
}

#[test]
fn the_page_shows_goals_and_every_figure() {
    let suites = [Suite {
        package: "candor-redact",
        target: "throughput",
        measurements: vec![measurement("log_lines", 4.2e6, &[(250e6, Unit::Bytes)])],
    }];
    let page = page(&judge(&suites), &suites, "Measured on: a machine.");
    for expected in [
        "\nMeasured on: a machine.\n",
        "| redaction of ordinary log text, all rules on | ≥ 200 MB/s | 250 MB/s | yes |\n",
        "\n### `candor-redact`: throughput\n",
        "\n| `log_lines` | 4.20 ms | 250 MB/s |\n",
    ] {
        assert!(page.contains(expected), "no {expected:?} in\n{page}");
    }
}

#[test]
fn figures_of_whole_runs_become_rows() {
    let rows = xtask::bench::figures(
        "   Compiling x\nfigure | hello | ≤ 12 ms | 9.77 ms | yes\nfigure | turn | ≤ 3 ms | 3.08 ms | no\nfigure | first | – | 1 ms | -\n",
    );
    let told: Vec<_> =
        rows.iter().map(|row| (row.measure.as_str(), row.measured.as_str(), row.met)).collect();
    let expected =
        [("hello", "9.77 ms", Met::Yes), ("turn", "3.08 ms", Met::No), ("first", "1 ms", Met::NoGoal)];
    assert_eq!(told, expected);
}

#[test]
fn stolen_time_is_told_where_the_kernel_counts_it() {
    let told = xtask::bench::told(&[("runs", Some(0)), ("walls", None), ("packs", Some(53))]);
    assert!(told.ends_with(": runs 0 %, packs 53 %."), "{told}");
    assert_eq!(xtask::bench::told(&[("walls", None)]), "");
}
