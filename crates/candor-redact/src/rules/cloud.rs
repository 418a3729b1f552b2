//! Clouds and hosting.

use crate::{
    rule::{
        OPEN, Rule,
        Step::{Lit, Run},
        Texture,
    },
    set::{
        ALNUM, ANY_HEX, BASE64, BASE64_PAD, HEX, LOWER_ALNUM, Set, UPPER_ALNUM, URL64, URL64_DOT, UUID, WORD,
    },
};

static PERCENT64: Set = Set::of("a-zA-Z0-9%+/=_-");

pub(super) static RULES: &[Rule] = &[
    Rule::token(
        "aws-access-key-id",
        "AWS access key ids",
        &["AKIA", "ASIA", "ABIA", "ACCA"],
        &[Run(&UPPER_ALNUM, 16, 16)],
    ),
    Rule::token("aws-bedrock-key", "Amazon Bedrock API keys", &["ABSK"], &[Run(&BASE64_PAD, 80, OPEN)]),
    Rule::context(
        "aws-secret-access-key",
        "AWS secret access keys after their name",
        &[
            "aws_secret",
            "aws-secret",
            "awssecret",
            "secretaccesskey",
            "secret_access_key",
            "secret access key",
        ],
        &[Run(&BASE64, 40, 40)],
    ),
    Rule::context(
        "aws-session-token",
        "AWS session tokens after their name",
        &["aws_session", "sessiontoken", "session_token", "x-amz-security-token"],
        &[Run(&PERCENT64, 100, OPEN)],
    ),
    Rule::after(
        "aws-signature",
        "signatures of presigned AWS URLs",
        &["x-amz-signature=", "x-goog-signature="],
        &[Run(&ANY_HEX, 64, OPEN)],
    ),
    Rule::token("gcp-api-key", "Google API keys", &["AIza"], &[Run(&URL64, 35, 35)]),
    Rule::token(
        "gcp-oauth-client-secret",
        "Google OAuth client secrets",
        &["GOCSPX-"],
        &[Run(&URL64, 28, 28)],
    ),
    Rule::token("gcp-access-token", "Google OAuth access tokens", &["ya29."], &[Run(&URL64_DOT, 20, OPEN)]),
    Rule::token("gcp-refresh-token", "Google OAuth refresh tokens", &["1//0"], &[Run(&URL64, 40, OPEN)])
        .texture(Texture::Dense),
    Rule::context(
        "azure-storage-key",
        "Azure storage and service account keys",
        &["accountk", "sharedaccessk"],
        &[Run(&BASE64_PAD, 40, OPEN)],
    ),
    Rule::after(
        "azure-sas-signature",
        "signatures of Azure shared access URLs",
        &["?sig=", "&sig=", "\\u0026sig=", "&amp;sig="],
        &[Run(&PERCENT64, 43, OPEN)],
    ),
    Rule::own(
        "azure-client-secret",
        "Azure client secrets",
        &["8Q~", "7Q~"],
        super::generic::azure_client_secret,
    ),
    Rule::context(
        "azure-devops-token",
        "Azure DevOps personal access tokens after their name",
        &["azure_devops", "azuredevops", "devops_pat", "ado_pat", "vsts"],
        &[Run(&LOWER_ALNUM, 52, 52)],
    ),
    Rule::token(
        "digitalocean-token",
        "DigitalOcean tokens",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        &[Run(&HEX, 64, 64)],
    ),
    Rule::token("heroku-key", "Heroku API keys", &["HRKU-"], &[Run(&URL64, 36, OPEN)]),
    Rule::context(
        "heroku-key-in-context",
        "Heroku API keys after their name",
        &["heroku"],
        &[Run(&UUID, 36, 36)],
    ),
    Rule::context(
        "cloudflare-token",
        "Cloudflare API tokens and keys after their name",
        &["cloudflare", "cf_api", "cf-api", "x-auth-key"],
        &[Run(&URL64, 37, 40)],
    ),
    Rule::token(
        "cloudflare-origin-ca-key",
        "Cloudflare origin CA keys",
        &["v1.0-"],
        &[Run(&HEX, 24, 24), Lit("-"), Run(&HEX, 146, 146)],
    ),
    Rule::context("fastly-token", "Fastly API tokens after their name", &["fastly"], &[Run(&URL64, 32, 32)]),
    Rule::context("linode-token", "Linode tokens after their name", &["linode"], &[Run(&HEX, 64, 64)]),
    Rule::context("vultr-key", "Vultr API keys after their name", &["vultr"], &[Run(&UPPER_ALNUM, 36, 36)]),
    Rule::context(
        "hetzner-token",
        "Hetzner Cloud tokens after their name",
        &["hetzner", "hcloud"],
        &[Run(&ALNUM, 64, 64)],
    ),
    Rule::context(
        "scaleway-key",
        "Scaleway secret keys after their name",
        &["scaleway", "scw_secret"],
        &[Run(&UUID, 36, 36)],
    ),
    Rule::context(
        "ovh-key",
        "OVH application and consumer keys after their name",
        &["ovh_", "ovh-"],
        &[Run(&ALNUM, 32, 32)],
    ),
    Rule::token("alibaba-access-key-id", "Alibaba Cloud access key ids", &["LTAI"], &[Run(&ALNUM, 12, 26)])
        .texture(Texture::Dense),
    Rule::context(
        "alibaba-secret-key",
        "Alibaba Cloud secrets after their name",
        &["aliyun", "alibaba", "alicloud"],
        &[Run(&ALNUM, 30, 30)],
    ),
    Rule::token("tencent-secret-id", "Tencent Cloud secret ids", &["AKID"], &[Run(&ALNUM, 32, 32)])
        .texture(Texture::Dense),
    Rule::context(
        "tencent-secret-key",
        "Tencent Cloud secret keys after their name",
        &["tencent", "qcloud"],
        &[Run(&ALNUM, 32, 32)],
    ),
    Rule::context(
        "ibm-cloud-key",
        "IBM Cloud API keys after their name",
        &["ibm", "bluemix", "watson"],
        &[Run(&URL64, 44, 44)],
    ),
    Rule::context(
        "oracle-auth-token",
        "Oracle Cloud keys after their name",
        &["oci_", "oracle"],
        &[Run(&BASE64_PAD, 40, 88)],
    ),
    Rule::token(
        "yandex-key",
        "Yandex Cloud API keys and tokens",
        &["AQVN", "t1.9eu"],
        &[Run(&URL64_DOT, 35, OPEN)],
    )
    .texture(Texture::Dense),
    Rule::token(
        "flyio-token",
        "Fly.io access tokens",
        &["FlyV1 fm", "fo1_", "fm2_", "fm1r_", "fm1a_"],
        &[Run(&BASE64_PAD, 40, OPEN)],
    ),
    Rule::token("render-key", "Render API keys", &["rnd_"], &[Run(&ALNUM, 28, 40)]).texture(Texture::Mixed),
    Rule::context("railway-token", "Railway tokens after their name", &["railway"], &[Run(&UUID, 36, 36)]),
    Rule::token(
        "netlify-token",
        "Netlify tokens",
        &["nfp_", "nfc_", "nfu_", "nfo_"],
        &[Run(&ALNUM, 36, OPEN)],
    )
    .texture(Texture::Mixed),
    Rule::context(
        "netlify-token-in-context",
        "Netlify tokens after their name",
        &["netlify"],
        &[Run(&URL64, 40, 46)],
    ),
    Rule::token(
        "vercel-token",
        "Vercel tokens",
        &["vcp_", "vci_", "vca_", "vcr_", "vck_", "vercel_blob_rw_"],
        &[Run(&WORD, 24, OPEN)],
    )
    .texture(Texture::Mixed),
    Rule::context(
        "vercel-token-in-context",
        "Vercel tokens after their name",
        &["vercel"],
        &[Run(&ALNUM, 24, 24)],
    ),
    Rule::token("deno-token", "Deno Deploy tokens", &["ddp_", "ddw_", "ddo_"], &[Run(&ALNUM, 36, 36)])
        .texture(Texture::Mixed),
];
