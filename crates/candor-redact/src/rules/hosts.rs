//! Code hosts and package registries.

use crate::{
    rule::{OPEN, Rule, Step::Run, Texture},
    set::{ALNUM, BASE64_ANY, HEX, LOWER_ALNUM, URL64, URL64_DOT, UUID, WORD},
};

pub(super) static RULES: &[Rule] = &[
    Rule::token("github-pat", "GitHub personal access tokens", &["ghp_"], &[Run(&ALNUM, 36, OPEN)]),
    Rule::token("github-oauth-token", "GitHub OAuth tokens", &["gho_"], &[Run(&ALNUM, 36, OPEN)]),
    Rule::token("github-app-token", "GitHub app tokens", &["ghu_", "ghs_"], &[Run(&ALNUM, 36, OPEN)]),
    Rule::token("github-refresh-token", "GitHub refresh tokens", &["ghr_"], &[Run(&ALNUM, 36, OPEN)]),
    Rule::token(
        "github-fine-grained-pat",
        "GitHub fine-grained tokens",
        &["github_pat_"],
        &[Run(&WORD, 40, OPEN)],
    ),
    Rule::token(
        "gitlab-pat",
        "GitLab personal, project and group tokens",
        &["glpat-"],
        &[Run(&URL64_DOT, 20, OPEN)],
    ),
    Rule::token("gitlab-deploy-token", "GitLab deploy tokens", &["gldt-"], &[Run(&URL64_DOT, 20, OPEN)]),
    Rule::token(
        "gitlab-runner-token",
        "GitLab runner tokens",
        &["glrt-", "glrtr-", "GR1348941"],
        &[Run(&URL64_DOT, 20, OPEN)],
    ),
    Rule::token(
        "gitlab-trigger-token",
        "GitLab pipeline trigger tokens",
        &["glptt-"],
        &[Run(&URL64, 20, OPEN)],
    ),
    Rule::token("gitlab-job-token", "GitLab CI job tokens", &["glcbt-"], &[Run(&URL64_DOT, 20, OPEN)]),
    Rule::token(
        "gitlab-other-token",
        "GitLab OAuth, SCIM, feed, agent and mail tokens",
        &["glsoat-", "gloas-", "glft-", "glagent-", "glimt-", "glffct-", "glwt-"],
        &[Run(&URL64_DOT, 20, OPEN)],
    ),
    Rule::token(
        "bitbucket-token",
        "Bitbucket app passwords and access tokens",
        &["ATBB", "ATCTT3xFfGF0"],
        &[Run(&BASE64_ANY, 28, OPEN)],
    )
    .texture(Texture::Dense),
    Rule::context(
        "bitbucket-secret",
        "Bitbucket secrets after their name",
        &["bitbucket"],
        &[Run(&URL64, 32, 64)],
    ),
    Rule::token("atlassian-token", "Atlassian API tokens", &["ATATT3"], &[Run(&BASE64_ANY, 60, OPEN)]),
    Rule::context(
        "jira-token",
        "older Atlassian tokens after their name",
        &["jira", "confluence", "atlassian"],
        &[Run(&ALNUM, 24, 24)],
    ),
    Rule::token("sourcegraph-token", "Sourcegraph tokens", &["sgp_", "slk_"], &[Run(&WORD, 40, OPEN)])
        .texture(Texture::Mixed),
    Rule::token(
        "gitea-token",
        "Codeberg and Gitea OAuth tokens",
        &["gto_", "gta_"],
        &[Run(&LOWER_ALNUM, 40, OPEN)],
    )
    .texture(Texture::Mixed),
    Rule::token("circleci-token", "CircleCI tokens", &["CCIPAT_", "CCIPRJ_"], &[Run(&WORD, 40, OPEN)]),
    Rule::context(
        "circleci-token-in-context",
        "CircleCI tokens after their name",
        &["circleci", "circle_token", "circle-token"],
        &[Run(&HEX, 40, 40)],
    ),
    Rule::token(
        "buildkite-token",
        "Buildkite tokens",
        &["bkua_", "bkct_", "bkaj_"],
        &[Run(&LOWER_ALNUM, 40, OPEN)],
    )
    .texture(Texture::Mixed),
    Rule::context(
        "travis-ci-token",
        "Travis CI tokens after their name",
        &["travis"],
        &[Run(&URL64, 22, 22)],
    ),
    Rule::context("codecov-token", "Codecov tokens after their name", &["codecov"], &[Run(&UUID, 36, 36)]),
    Rule::context(
        "sonar-token-in-context",
        "SonarQube tokens after their name",
        &["sonar"],
        &[Run(&HEX, 40, 40)],
    ),
    Rule::token("sonar-token", "SonarQube tokens", &["squ_", "sqp_", "sqa_"], &[Run(&HEX, 40, 40)]),
    Rule::context("snyk-token", "Snyk tokens after their name", &["snyk"], &[Run(&UUID, 36, 36)]),
    Rule::token("npm-token", "npm access tokens", &["npm_"], &[Run(&ALNUM, 36, OPEN)]),
    Rule::token("pypi-token", "PyPI tokens", &["pypi-AgE"], &[Run(&URL64, 50, OPEN)]),
    Rule::token("rubygems-key", "RubyGems keys", &["rubygems_"], &[Run(&HEX, 48, 48)]),
    Rule::token("crates-io-token", "crates.io tokens", &["cio"], &[Run(&ALNUM, 32, 32)])
        .texture(Texture::Dense),
    Rule::token("nuget-key", "NuGet keys", &["oy2"], &[Run(&LOWER_ALNUM, 43, 43)]).texture(Texture::Mixed),
    Rule::token(
        "docker-hub-token",
        "Docker Hub tokens",
        &["dckr_pat_", "dckr_oat_"],
        &[Run(&URL64, 24, OPEN)],
    ),
    Rule::token("artifactory-key", "Artifactory API keys", &["AKCp"], &[Run(&ALNUM, 60, OPEN)]),
    Rule::token(
        "artifactory-reference-token",
        "Artifactory reference tokens",
        &["cmVmdGtuO"],
        &[Run(&ALNUM, 50, OPEN)],
    ),
    Rule::token("clojars-token", "Clojars deploy tokens", &["CLOJARS_"], &[Run(&HEX, 60, 60)]),
    Rule::token("cloudsmith-token", "Cloudsmith tokens", &["csm_"], &[Run(&ALNUM, 30, OPEN)])
        .texture(Texture::Mixed),
    Rule::token("packagist-token", "Packagist tokens", &["packagist_"], &[Run(&WORD, 30, OPEN)])
        .texture(Texture::Mixed),
];
