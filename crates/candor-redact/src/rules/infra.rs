//! Infrastructure, observability, data and office services.

use super::generic;
use crate::{
    rule::{
        OPEN, Rule,
        Step::{Lit, Run},
        Texture,
    },
    set::{
        ALNUM, ANY_HEX, BASE64_PAD, BECH32, DIGIT, HEX, LOWER_ALNUM, Set, UPPER_ALNUM, URL64, URL64_DOT,
        UUID, WORD,
    },
};

pub(super) static RULES: &[Rule] = &[
    Rule::token("vault-token", "HashiCorp Vault tokens", &["hvs.", "hvb.", "hvr."], &[Run(&URL64, 24, OPEN)]),
    Rule::context(
        "vault-legacy-token",
        "older Vault tokens after their name",
        &["vault"],
        &[Lit("s."), Run(&ALNUM, 24, 24)],
    ),
    Rule::own("terraform-token", "Terraform Cloud tokens", &[".atlasv1."], generic::terraform),
    Rule::token(
        "doppler-token",
        "Doppler tokens",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        &[Run(&URL64_DOT, 40, OPEN)],
    ),
    Rule::token(
        "onepassword-service-token",
        "1Password service-account tokens",
        &["ops_eyJ"],
        &[Run(&BASE64_PAD, 60, OPEN)],
    ),
    Rule::token(
        "onepassword-secret-key",
        "1Password secret keys",
        &["A3-"],
        &[Run(&UPPER_ALNUM, 6, 6), Lit("-"), Run(&DASHED, 25, 40)],
    )
    .texture(Texture::Mixed),
    Rule::token(
        "infisical-token",
        "Infisical service tokens",
        &["st."],
        &[Run(&HEX, 24, 24), Lit("."), Run(&HEX, 32, 32), Lit("."), Run(&HEX, 32, 32)],
    ),
    Rule::token(
        "databricks-token",
        "Databricks tokens",
        &["dapi", "dose", "dkea"],
        &[Run(&DATABRICKS, 32, 34)],
    )
    .texture(Texture::Mixed),
    Rule::context(
        "snowflake-secret",
        "Snowflake secrets after their name",
        &["snowflake"],
        &[Run(&URL64_DOT, 40, OPEN)],
    ),
    Rule::token(
        "grafana-token",
        "Grafana service-account tokens",
        &["glsa_"],
        &[Run(&ALNUM, 32, 32), Lit("_"), Run(&ANY_HEX, 8, 8)],
    ),
    Rule::token("grafana-cloud-token", "Grafana Cloud tokens", &["glc_"], &[Run(&BASE64_PAD, 32, OPEN)])
        .texture(Texture::Mixed),
    Rule::token("grafana-api-key", "older Grafana keys", &["eyJrIjoi"], &[Run(&BASE64_PAD, 60, OPEN)]),
    Rule::context(
        "datadog-key",
        "Datadog keys after their name",
        &["datadog", "dd_api", "dd-api", "dd_app", "dd-application"],
        &[Run(&HEX, 32, 40)],
    ),
    Rule::token(
        "newrelic-key",
        "New Relic user and browser keys",
        &["NRAK-", "NRBR-", "NRJS-", "NRIQ-", "NRII-", "NRRA-", "NRSP-"],
        &[Run(&ALNUM, 19, OPEN)],
    ),
    Rule::own("newrelic-licence-key", "New Relic licence keys", &["NRAL"], generic::new_relic_licence),
    Rule::token(
        "sentry-token",
        "Sentry tokens",
        &["sntrys_", "sntryu_", "sntrya_"],
        &[Run(&SENTRY, 60, OPEN)],
    ),
    Rule::context(
        "pagerduty-key",
        "PagerDuty keys after their name",
        &["pagerduty", "pager_duty", "pd_api"],
        &[Run(&PAGERDUTY, 20, 20)],
    ),
    Rule::token(
        "honeycomb-key",
        "Honeycomb keys",
        &["hcaik_", "hcbik_", "hcalk_", "hcxik_"],
        &[Run(&LOWER_ALNUM, 40, OPEN)],
    ),
    Rule::context(
        "honeycomb-key-in-context",
        "Honeycomb keys after their name",
        &["honeycomb"],
        &[Run(&ALNUM, 22, 32)],
    ),
    Rule::token(
        "dynatrace-token",
        "Dynatrace tokens",
        &["dt0c01.", "dt0s01.", "dt0s02."],
        &[Run(&UPPER_ALNUM, 8, 24), Lit("."), Run(&UPPER_ALNUM, 64, 64)],
    ),
    Rule::context(
        "splunk-rollbar-key",
        "Splunk, Rollbar, Bugsnag and Logz keys after their name",
        &["splunk", "rollbar", "bugsnag", "logzio", "logdna", "sumologic", "loggly"],
        &[Run(&UUID, 32, 36)],
    ),
    Rule::token("posthog-key", "PostHog personal keys", &["phx_", "phs_"], &[Run(&ALNUM, 40, OPEN)])
        .texture(Texture::Mixed),
    Rule::context(
        "mixpanel-amplitude-key",
        "Mixpanel, Amplitude and Segment keys after their name",
        &["mixpanel", "amplitude", "segment_write"],
        &[Run(&ALNUM, 32, 32)],
    ),
    Rule::token(
        "launchdarkly-key",
        "LaunchDarkly keys",
        &["sdk-", "mob-"],
        &[
            Run(&HEX, 8, 8),
            Lit("-"),
            Run(&HEX, 4, 4),
            Lit("-"),
            Run(&HEX, 4, 4),
            Lit("-"),
            Run(&HEX, 4, 4),
            Lit("-"),
            Run(&HEX, 12, 12),
        ],
    )
    .texture(Texture::Mixed),
    Rule::context(
        "opsgenie-key",
        "Opsgenie and VictorOps keys after their name",
        &["opsgenie", "victorops"],
        &[Run(&UUID, 36, 36)],
    ),
    Rule::token(
        "linear-key",
        "Linear keys",
        &["lin_api_", "lin_oauth_", "lin_wh_"],
        &[Run(&ALNUM, 32, OPEN)],
    ),
    Rule::token("notion-token", "Notion tokens", &["ntn_", "secret_"], &[Run(&ALNUM, 43, 50)])
        .texture(Texture::Dense),
    Rule::token(
        "airtable-token",
        "Airtable tokens",
        &["pat"],
        &[Run(&ALNUM, 14, 14), Lit("."), Run(&HEX, 64, 64)],
    ),
    Rule::context(
        "airtable-key",
        "older Airtable keys after their name",
        &["airtable"],
        &[Lit("key"), Run(&ALNUM, 14, 14)],
    ),
    Rule::token("figma-token", "Figma tokens", &["figd_", "figu_", "figo_"], &[Run(&URL64, 36, OPEN)]),
    Rule::token("postman-key", "Postman keys", &["PMAK-"], &[Run(&HEX, 24, 24), Lit("-"), Run(&HEX, 34, 34)]),
    Rule::token("postman-collection-key", "Postman collection keys", &["PMAT-"], &[Run(&ALNUM, 26, 26)]),
    Rule::token(
        "asana-token",
        "Asana tokens",
        &["1/", "2/"],
        &[Run(&DIGIT, 14, 16), Lit(":"), Run(&HEX, 32, 32)],
    )
    .tails(&["1", "2", "3", "4", "5", "6", "7", "8", "9"]),
    Rule::token(
        "clickup-token",
        "ClickUp tokens",
        &["pk_"],
        &[Run(&DIGIT, 5, 10), Lit("_"), Run(&UPPER_ALNUM, 32, 32)],
    ),
    Rule::token("typeform-token", "Typeform tokens", &["tfp_"], &[Run(&URL64_DOT, 40, OPEN)]),
    Rule::token(
        "hubspot-token",
        "HubSpot private-app tokens",
        &["pat-na1-", "pat-na2-", "pat-na3-", "pat-eu1-", "pat-ap1-"],
        &[Run(&UUID, 36, 36)],
    ),
    Rule::token(
        "salesforce-session",
        "Salesforce access tokens",
        &["00D"],
        &[Run(&ALNUM, 12, 15), Lit("!"), Run(&URL64_DOT, 60, OPEN)],
    ),
    Rule::token("contentful-token", "Contentful tokens", &["CFPAT-"], &[Run(&URL64, 43, 43)]),
    Rule::token("prefect-token", "Prefect tokens", &["pnu_", "pnb_"], &[Run(&ALNUM, 36, 36)]),
    Rule::token("pulumi-token", "Pulumi tokens", &["pul-"], &[Run(&HEX, 40, 40)]),
    Rule::token("supabase-token", "Supabase tokens", &["sbp_", "sb_secret_"], &[Run(&WORD, 31, OPEN)])
        .texture(Texture::Mixed),
    Rule::token(
        "planetscale-token",
        "PlanetScale tokens and passwords",
        &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
        &[Run(&URL64_DOT, 32, OPEN)],
    ),
    Rule::token("neon-key", "Neon keys", &["napi_"], &[Run(&LOWER_ALNUM, 40, OPEN)]).texture(Texture::Mixed),
    Rule::context(
        "upstash-token",
        "Upstash tokens after their name",
        &["upstash"],
        &[Run(&BASE64_PAD, 40, OPEN)],
    ),
    Rule::token(
        "mongodb-atlas-secret",
        "MongoDB Atlas service-account secrets",
        &["mdb_sa_sk_"],
        &[Run(&URL64, 36, OPEN)],
    ),
    Rule::token("aiven-token", "Aiven tokens", &["AVNS_", "aivenv1"], &[Run(&BASE64_PAD, 16, OPEN)])
        .texture(Texture::Mixed),
    Rule::token(
        "tailscale-key",
        "Tailscale keys",
        &["tskey-auth-", "tskey-api-", "tskey-client-", "tskey-webhook-", "tskey-scim-", "tskey-"],
        &[Run(&URL64, 20, OPEN)],
    )
    .texture(Texture::Mixed),
    Rule::token("ngrok-token", "ngrok tokens and keys", &["ngrok_"], &[Run(&WORD, 40, OPEN)])
        .texture(Texture::Dense),
    Rule::context(
        "ngrok-token-in-context",
        "ngrok tokens after their name",
        &["ngrok"],
        &[Run(&WORD, 43, 52)],
    ),
    Rule::token(
        "age-secret-key",
        "age secret keys",
        &["AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1"],
        &[Run(&BECH32, 50, OPEN)],
    ),
    Rule::token("okta-token", "Okta tokens", &["SSWS "], &[Run(&URL64, 30, OPEN)]),
    Rule::context(
        "okta-auth0-secret",
        "Okta and Auth0 secrets after their name",
        &["okta", "auth0"],
        &[Run(&URL64, 40, 64)],
    ),
    Rule::token("jumpcloud-key", "JumpCloud keys", &["jca_"], &[Run(&ALNUM, 32, OPEN)])
        .texture(Texture::Mixed),
    Rule::token("confluent-secret", "Confluent Cloud secrets", &["cflt"], &[Run(&BASE64_PAD, 60, 60)])
        .texture(Texture::Dense),
    Rule::context("algolia-key", "Algolia keys after their name", &["algolia"], &[Run(&HEX, 32, 32)]),
    Rule::context(
        "elastic-key",
        "Elastic keys after their name",
        &["elastic"],
        &[Run(&BASE64_PAD, 40, OPEN)],
    ),
    Rule::context(
        "mapbox-secret",
        "Mapbox secret tokens",
        &["mapbox"],
        &[Lit("sk.eyJ"), Run(&URL64_DOT, 40, OPEN)],
    ),
    Rule::token(
        "mapbox-token",
        "Mapbox secret tokens by their mark",
        &["sk.eyJ"],
        &[Run(&URL64_DOT, 40, OPEN)],
    ),
    Rule::context(
        "dropbox-token",
        "Dropbox tokens after their name",
        &["dropbox"],
        &[Run(&URL64_DOT, 15, OPEN)],
    )
    .texture(Texture::Dense),
    Rule::token(
        "dropbox-short-lived-token",
        "Dropbox short-lived tokens",
        &["sl.u.", "sl.B", "sl.A"],
        &[Run(&URL64, 100, OPEN)],
    ),
    Rule::token(
        "facebook-token",
        "Facebook access tokens",
        &["EAAC", "EAAB", "EAAG", "EAAM", "EAAD"],
        &[Run(&ALNUM, 60, OPEN)],
    )
    .texture(Texture::Mixed),
    Rule::context(
        "facebook-twitter-secret",
        "Facebook, Twitter, LinkedIn and Spotify secrets after their name",
        &["facebook", "twitter", "linkedin", "spotify", "instagram"],
        &[Run(&ALNUM, 32, 50)],
    ),
    Rule::context(
        "twitch-secret",
        "Twitch secrets after their name",
        &["twitch"],
        &[Run(&LOWER_ALNUM, 30, 30)],
    ),
    Rule::token(
        "rancher-token",
        "Rancher tokens",
        &["kubeconfig-user-", "token-"],
        &[Run(&LOWER_ALNUM, 5, 10), Lit(":"), Run(&LOWER_ALNUM, 54, 54)],
    ),
    Rule::token("octopus-key", "Octopus Deploy keys", &["API-"], &[Run(&UPPER_ALNUM, 25, 33)])
        .texture(Texture::Mixed),
    Rule::token(
        "harness-key",
        "Harness keys",
        &["pat.", "sat."],
        &[Run(&URL64, 22, 22), Lit("."), Run(&ANY_HEX, 24, 24), Lit("."), Run(&ALNUM, 20, 20)],
    ),
    Rule::token("scalingo-token", "Scalingo tokens", &["tk-us-"], &[Run(&URL64, 48, 48)]),
    Rule::token("readme-key", "ReadMe keys", &["rdme_"], &[Run(&LOWER_ALNUM, 70, OPEN)]),
    Rule::token("frameio-token", "Frame.io tokens", &["fio-u-"], &[Run(&URL64, 60, OPEN)]),
    Rule::token(
        "defined-networking-token",
        "Defined Networking tokens",
        &["dnkey-"],
        &[Run(&URL64, 50, OPEN)],
    ),
    Rule::token("clickhouse-key", "ClickHouse Cloud secrets", &["4b1d"], &[Run(&ALNUM, 38, 38)])
        .texture(Texture::Dense),
    Rule::token("cockroach-key", "CockroachDB Cloud keys", &["CCDB1_"], &[Run(&WORD, 40, OPEN)]),
    Rule::token("openshift-token", "OpenShift user tokens", &["sha256~"], &[Run(&URL64, 43, 43)]),
];

static DATABRICKS: Set = Set::of("0-9a-f-");
static DASHED: Set = Set::of("A-Z0-9-");
static SENTRY: Set = Set::of("a-zA-Z0-9+/=_");
static PAGERDUTY: Set = Set::of("a-zA-Z0-9_+-");
