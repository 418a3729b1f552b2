//! Chat, mail and telephony.

use super::generic;
use crate::{
    rule::{
        OPEN, Rule,
        Step::{Lit, Run},
        Texture,
    },
    set::{ALNUM, BASE64_PAD, DIGIT, HEX, LOWER_ALNUM, Set, URL64, UUID, WORD},
};

const HEX_DIGITS: &[&str] = &["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f"];
static PATH: Set = Set::of("a-zA-Z0-9/_@%=-");

pub(super) static RULES: &[Rule] = &[
    Rule::own(
        "telegram-bot-token",
        "Telegram bot tokens, also in API URLs",
        &[":AA", "%3AAA"],
        generic::telegram,
    ),
    Rule::token(
        "slack-token",
        "Slack bot, user, app, refresh and legacy tokens",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-"],
        &[Run(&URL64, 20, OPEN)],
    )
    .texture(Texture::Mixed),
    Rule::token("slack-cookie", "Slack session cookies", &["xoxd-"], &[Run(&PATH, 20, OPEN)])
        .texture(Texture::Mixed),
    Rule::token(
        "slack-config-token",
        "Slack configuration tokens",
        &["xoxe-", "xoxe.xoxp-", "xoxe.xoxb-"],
        &[Run(&URL64, 20, OPEN)],
    )
    .texture(Texture::Mixed),
    Rule::token("slack-app-token", "Slack app-level tokens", &["xapp-"], &[Run(&URL64, 20, OPEN)])
        .texture(Texture::Mixed),
    Rule::after(
        "slack-webhook",
        "Slack webhook paths",
        &["hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"],
        &[Run(&PATH, 20, OPEN)],
    ),
    Rule::token(
        "discord-bot-token",
        "Discord bot tokens",
        &["MD", "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"],
        &[Run(&ALNUM, 19, 27), Lit("."), Run(&URL64, 6, 6), Lit("."), Run(&URL64, 27, OPEN)],
    )
    .tails(&["A", "E", "I", "M", "Q", "U", "Y", "c", "g", "k"]),
    Rule::after(
        "discord-webhook",
        "Discord webhook tokens",
        &["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
        &[Run(&DIGIT, 15, 21), Lit("/"), Run(&URL64, 60, OPEN)],
    ),
    Rule::context(
        "discord-client-secret",
        "Discord client secrets after their name",
        &["discord"],
        &[Run(&URL64, 32, 32)],
    ),
    Rule::own(
        "teams-webhook",
        "Microsoft Teams webhook paths",
        &[".webhook.office.com/webhookb2/", "outlook.office.com/webhook/"],
        generic::teams_webhook,
    ),
    Rule::after(
        "google-chat-webhook",
        "Google Chat webhook credentials",
        &["chat.googleapis.com/v1/spaces/"],
        &[Run(&CHAT_PATH, 30, OPEN)],
    ),
    Rule::context(
        "mattermost-token",
        "Mattermost tokens after their name",
        &["mattermost"],
        &[Run(&LOWER_ALNUM, 26, 26)],
    ),
    Rule::token("matrix-token", "Matrix access tokens", &["syt_", "syr_", "mct_"], &[Run(&WORD, 25, OPEN)])
        .texture(Texture::Dense),
    Rule::after(
        "webhook-path",
        "webhook URLs of other services",
        &[
            "hooks.zapier.com/hooks/catch/",
            "maker.ifttt.com/use/",
            "hook.eu1.make.com/",
            "hook.us1.make.com/",
            "open.feishu.cn/open-apis/bot/v2/hook/",
            "open.larksuite.com/open-apis/bot/v2/hook/",
            "oapi.dingtalk.com/robot/send?access_token=",
            "qyapi.weixin.qq.com/cgi-bin/webhook/send?key=",
        ],
        &[Run(&PATH, 10, OPEN)],
    ),
    Rule::token("twilio-key", "Twilio API keys", &["SK"], &[Run(&HEX, 31, 31)])
        .tails(HEX_DIGITS)
        .texture(Texture::Mixed),
    Rule::context(
        "twilio-auth-token",
        "Twilio auth tokens after their name",
        &["twilio"],
        &[Run(&HEX, 32, 32)],
    ),
    Rule::token(
        "sendgrid-key",
        "SendGrid keys",
        &["SG."],
        &[Run(&URL64, 16, 32), Lit("."), Run(&URL64, 30, OPEN)],
    ),
    Rule::token("mailgun-key", "Mailgun keys", &["key-"], &[Run(&LOWER_ALNUM, 32, 32)])
        .texture(Texture::Mixed),
    Rule::context(
        "mailgun-signing-key",
        "Mailgun keys after their name",
        &["mailgun"],
        &[Run(&HEX, 32, 32), Lit("-"), Run(&HEX, 8, 8), Lit("-"), Run(&HEX, 8, 8)],
    ),
    Rule::own("mailchimp-key", "Mailchimp keys", &["-us"], generic::mailchimp),
    Rule::token("mandrill-key", "Mandrill keys", &["md-"], &[Run(&URL64, 22, 22)]).texture(Texture::Dense),
    Rule::context("postmark-token", "Postmark tokens after their name", &["postmark"], &[Run(&UUID, 36, 36)]),
    Rule::token("resend-key", "Resend keys", &["re_"], &[Run(&ALNUM, 8, 8), Lit("_"), Run(&ALNUM, 24, 24)]),
    Rule::token(
        "sendinblue-key",
        "Brevo keys",
        &["xkeysib-", "xsmtpsib-"],
        &[Run(&HEX, 64, 64), Lit("-"), Run(&ALNUM, 16, 16)],
    ),
    Rule::context(
        "vonage-secret",
        "Vonage and Nexmo secrets after their name",
        &["vonage", "nexmo"],
        &[Run(&ALNUM, 16, 16)],
    ),
    Rule::context(
        "messagebird-key",
        "MessageBird keys after their name",
        &["messagebird"],
        &[Run(&ALNUM, 25, 25)],
    ),
    Rule::context(
        "line-channel-token",
        "LINE channel tokens after their name",
        &["line_channel", "channel_access_token"],
        &[Run(&BASE64_PAD, 100, OPEN)],
    ),
    Rule::context("zoom-secret", "Zoom secrets after their name", &["zoom_"], &[Run(&ALNUM, 32, 32)]),
    Rule::context(
        "pushover-token",
        "Pushover tokens after their name",
        &["pushover"],
        &[Run(&LOWER_ALNUM, 30, 30)],
    ),
    Rule::token("knock-key", "Knock secret keys", &["sk_prod_"], &[Run(&URL64, 24, OPEN)])
        .texture(Texture::Mixed),
    Rule::context(
        "intercom-token",
        "Intercom tokens after their name",
        &["intercom"],
        &[Run(&BASE64_PAD, 60, 60)],
    ),
    Rule::context("zendesk-token", "Zendesk tokens after their name", &["zendesk"], &[Run(&ALNUM, 40, 40)]),
];

static CHAT_PATH: Set = Set::of("a-zA-Z0-9/_?&=%.\\-");
