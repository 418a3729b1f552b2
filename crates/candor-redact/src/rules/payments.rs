//! Payments, shops and money.

use crate::{
    rule::{
        OPEN, Rule,
        Step::{Lit, Run},
        Texture,
    },
    set::{ALNUM, ANY_HEX, BASE64_PAD, HEX, LOWER_ALNUM, URL64, UUID, WORD},
};

pub(super) static RULES: &[Rule] = &[
    Rule::token(
        "stripe-secret-key",
        "Stripe secret keys",
        &["sk_live_", "sk_test_"],
        &[Run(&ALNUM, 20, OPEN)],
    ),
    Rule::token(
        "stripe-restricted-key",
        "Stripe restricted keys",
        &["rk_live_", "rk_test_"],
        &[Run(&ALNUM, 20, OPEN)],
    ),
    Rule::token(
        "webhook-signing-secret",
        "webhook signing secrets of Stripe, Svix, Clerk and OpenAI",
        &["whsec_"],
        &[Run(&BASE64_PAD, 24, OPEN)],
    ),
    Rule::token(
        "square-token",
        "Square tokens",
        &["sq0atp-", "sq0csp-", "sq0idp-", "EAAAE", "EAAAl"],
        &[Run(&URL64, 22, OPEN)],
    )
    .texture(Texture::Dense),
    Rule::token(
        "paypal-braintree-token",
        "Braintree access tokens",
        &["access_token$production$", "access_token$sandbox$"],
        &[Run(&LOWER_ALNUM, 16, 16), Lit("$"), Run(&HEX, 32, 32)],
    ),
    Rule::context("paypal-secret", "PayPal secrets after their name", &["paypal"], &[Run(&URL64, 80, 80)]),
    Rule::token(
        "shopify-token",
        "Shopify tokens",
        &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_", "shpua_"],
        &[Run(&ANY_HEX, 32, 32)],
    ),
    Rule::token(
        "plaid-token",
        "Plaid tokens",
        &["access-sandbox-", "access-development-", "access-production-"],
        &[Run(&UUID, 36, 36)],
    ),
    Rule::context("plaid-secret", "Plaid secrets after their name", &["plaid"], &[Run(&HEX, 30, 30)]),
    Rule::context(
        "coinbase-secret",
        "Coinbase secrets after their name",
        &["coinbase"],
        &[Run(&URL64, 64, 64)],
    ),
    Rule::token("razorpay-key", "Razorpay keys", &["rzp_live_", "rzp_test_"], &[Run(&ALNUM, 14, OPEN)]),
    Rule::token(
        "flutterwave-key",
        "Flutterwave secret keys",
        &["FLWSECK-", "FLWSECK_TEST-"],
        &[Run(&URL64, 32, OPEN)],
    ),
    Rule::token("mollie-key", "Mollie keys", &["live_", "test_"], &[Run(&ALNUM, 30, 30)])
        .texture(Texture::Dense),
    Rule::token("adyen-key", "Adyen keys", &["AQE"], &[Run(&BASE64_PAD, 60, OPEN)])
        .tails(&["yhm", "xhm", "rhm", "qhm", "phm", "ohm"])
        .texture(Texture::Dense),
    Rule::token("lob-key", "Lob keys", &["live_pub_", "test_pub_"], &[Run(&HEX, 31, 31)]),
    Rule::token("easypost-key", "EasyPost keys", &["EZAK", "EZTK"], &[Run(&ALNUM, 54, 54)]),
    Rule::token("shippo-token", "Shippo tokens", &["shippo_live_", "shippo_test_"], &[Run(&HEX, 40, 40)]),
    Rule::token("duffel-token", "Duffel tokens", &["duffel_live_", "duffel_test_"], &[Run(&URL64, 43, OPEN)]),
    Rule::token(
        "paddle-key",
        "Paddle keys",
        &["pdl_live_apikey_", "pdl_sdbx_apikey_", "pdl_ntfset_"],
        &[Run(&WORD, 30, OPEN)],
    ),
    Rule::token("gocardless-token", "GoCardless tokens", &["live_", "sandbox_"], &[Run(&URL64, 40, 40)])
        .texture(Texture::Dense),
    Rule::context("etsy-key", "Etsy keys after their name", &["etsy"], &[Run(&LOWER_ALNUM, 24, 24)]),
    Rule::context(
        "binance-kraken-key",
        "Binance and Kraken keys after their name",
        &["binance", "kraken", "kucoin"],
        &[Run(&BASE64_PAD, 64, 88)],
    ),
];
