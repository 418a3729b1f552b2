//! Values under a secret's name.

use candor_redact::Redactor;

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(Redactor::new().redact_str(text), expected, "{text}");
}

#[track_caller]
fn keeps(text: &str) {
    check(text, text);
}

/// Names of secrets, in every way to write them.
const SECRET_NAMES: &[&str] = &[
    "password",
    "Password",
    "PASSWORD",
    "passwd",
    "pwd",
    "passphrase",
    "db_password",
    "DB_PASSWORD",
    "userPassword",
    "secret",
    "client_secret",
    "clientSecret",
    "token",
    "access_token",
    "accessToken",
    "bot_token",
    "botToken",
    "refresh-token",
    "apiKey",
    "api_key",
    "api-key",
    "apikey",
    "x-api-key",
    "X-Api-Key",
    "OPENAI_API_KEY",
    "access_key",
    "accessKey",
    "secret_key",
    "secretAccessKey",
    "private_key",
    "privateKey",
    "connection_string",
    "connectionString",
    "signing_key",
    "signingKey",
    "webhook_secret",
    "webhookSecret",
    "encryption_key",
    "auth_token",
    "authToken",
    "authtoken",
    "csrf_token",
    "session_token",
    "password2",
    "passwordHash",
    "SMTP_PASS",
    "dbPass",
    "account_key",
    "master_key",
    "jwt",
    "pw",
    "db_pw",
    "psk",
    "wifi_psk",
    "SECRET_KEY_BASE",
    "secret_key_base",
];

/// Names that look alike and hold no secret.
const OTHER_NAMES: &[&str] = &[
    "inputTokens",
    "outputTokens",
    "totalTokens",
    "max_tokens",
    "maxTokens",
    "tokenizer",
    "token_type",
    "tokenType",
    "token_count",
    "next_page_token",
    "nextPageToken",
    "nextToken",
    "page_token",
    "continuation_token",
    "conversationKey",
    "threadKey",
    "publicKey",
    "public_key",
    "key",
    "keys",
    "primary_key",
    "primaryKey",
    "foreign_key",
    "cache_key",
    "cacheKey",
    "sort_key",
    "partition_key",
    "password_hash_algorithm",
    "passwordless",
    "password_min_length",
    "secretary",
    "secret_name",
    "secretName",
    "author",
    "authors",
    "authority",
    "authorized",
    "authorization_endpoint",
    "authorization_url",
    "token_endpoint",
    "token_url",
    "monkey",
    "keyboard",
    "keyword",
    "hotkey",
    "turkey",
    "compass",
    "bypass",
    "passenger",
    "passed",
    "pass_count",
    "passing",
    "tokens",
    "num_tokens",
    "password_file",
    "api_key_env",
    "api_key_file",
    "token_path",
    "secret_ref",
    "access_key_id",
    "key_id",
    "kid",
    "cookieconsent",
    "accessibility",
    "oauth_scopes",
    "eos_token",
    "pad_token",
    "summaryTokens",
    "keyFile",
    "private_key_path",
    "ssh_key_name",
    "credentials_file",
    "token_expires_in",
    "passRate",
    "tokenLimit",
];

#[test]
fn s14_10_a_value_under_a_secrets_name_is_masked_in_json() {
    for name in SECRET_NAMES {
        check(&format!(r#"{{"{name}":"hunter2","n":1}}"#), &format!(r#"{{"{name}":"[REDACTED]","n":1}}"#));
        check(&format!(r#"{{"{name}" : "hun\"ter2" }}"#), &format!(r#"{{"{name}" : "[REDACTED]" }}"#));
        check(
            &format!(r#"{{"args":"{{\"{name}\":\"hunter2\",\"a\":1}}"}}"#),
            &format!(r#"{{"args":"{{\"{name}\":\"[REDACTED]\",\"a\":1}}"}}"#),
        );
        check(
            &format!(r#"{{"a":"{{\"b\":\"{{\\\"{name}\\\":\\\"x1\\\"}}\"}}"}}"#),
            &format!(r#"{{"a":"{{\"b\":\"{{\\\"{name}\\\":\\\"[REDACTED]\\\"}}\"}}"}}"#),
        );
    }
}

#[test]
fn s11_7_look_alike_names_keep_their_values() {
    for name in OTHER_NAMES {
        keeps(&format!(r#"{{"{name}":"value-1234abcd","n":1}}"#));
        keeps(&format!(r#"{{"{name}":12345678}}"#));
        keeps(&format!("{name}=value-1234abcd"));
        keeps(&format!("{name}: value-1234abcd"));
        keeps(&format!("GET /x?{name}=value-1234abcd&y=1"));
    }
}

#[test]
fn a_value_is_masked_in_env_files_yaml_toml_flags_and_queries() {
    for name in SECRET_NAMES {
        check(&format!("{name}=Hunter2xyz"), &format!("{name}=[REDACTED]"));
        check(&format!("export {name}=Hunter2xyz\nA=1"), &format!("export {name}=[REDACTED]\nA=1"));
        check(&format!("{name}: Hunter2xyz"), &format!("{name}: [REDACTED]"));
        check(&format!("  {name}: \"hunter two\" # why"), &format!("  {name}: \"[REDACTED]\" # why"));
        check(&format!("{name} = \"hunter2\""), &format!("{name} = \"[REDACTED]\""));
        check(&format!("{name} = 'hunter2'"), &format!("{name} = '[REDACTED]'"));
        check(&format!("run --{name} Hunter2xyz -v"), &format!("run --{name} [REDACTED] -v"));
        check(&format!("run --{name}=Hunter2xyz -v"), &format!("run --{name}=[REDACTED] -v"));
        check(&format!("/p?a=1&{name}=hunter2&b=2"), &format!("/p?a=1&{name}=[REDACTED]&b=2"));
        check(&format!("<{name}>hunter2</{name}>"), &format!("<{name}>[REDACTED]</{name}>"));
    }
}

#[test]
fn a_value_is_masked_in_the_other_places_where_people_write_one() {
    check("ALTER USER bob WITH PASSWORD 'hunter2';", "ALTER USER bob WITH PASSWORD '[REDACTED]';");
    check("Server=db;User Id=sa;Password=hunter2;X=1", "Server=db;User Id=sa;Password=[REDACTED];X=1");
    keeps(r#"["password","value:-hunter2>"]"#);
    keeps(r#"["pw:[",null]"#);
    check(r#"{"name":"DB_PASSWORD","value":"hunter2"}"#, r#"{"name":"DB_PASSWORD","value":"[REDACTED]"}"#);
    check(r#"<add key="ApiKey" value="hunter2"/>"#, r#"<add key="ApiKey" value="[REDACTED]"/>"#);
    check(r#"config["password"] = "hunter2""#, r#"config["password"] = "[REDACTED]""#);
    check(r#"const apiKey: string = "abc";"#, r#"const apiKey: string = "[REDACTED]";"#);
    check(r#"let password: &'static str = "abc";"#, r#"let password: &'static str = "[REDACTED]";"#);
    check(r#"if token == "abc123" {"#, r#"if token == "[REDACTED]" {"#);
    check(r#"if password == "abcdef" {"#, r#"if password == "[REDACTED]" {"#);
    check("${DB_PASSWORD:-hunter2}", "${DB_PASSWORD:[REDACTED]}");
    check("JWT_SECRET=my-jwt-secret-value", "JWT_SECRET=[REDACTED]");
    check("API key: Tok9Xyz4, valid for a year", "API key: [REDACTED], valid for a year");
    check("The secret key = Tok9Xyz4ab", "The secret key = [REDACTED]");
    check(r#"{:password => "abc"}"#, r#"{:password => "[REDACTED]"}"#);
    check(r#"["--password", "hunter2", "-v"]"#, r#"["--password", "[REDACTED]", "-v"]"#);
    check(r#"{"out":"A=1\npassword=hunter2\nB=2"}"#, r#"{"out":"A=1\npassword=[REDACTED]\nB=2"}"#);
    check("a%26token%3Dhunter2%26b", "a%26token%3D[REDACTED]%26b");
    check("a\\u0026token=hunter2", "a\\u0026token=[REDACTED]");
    check("spring.datasource.password=hunter2", "spring.datasource.password=[REDACTED]");
    check("DB_PASSWORD=p&ss,w(rd\nX=1", "DB_PASSWORD=[REDACTED]\nX=1");
    check("password=\"cut off here", "password=\"[REDACTED]");
    check("{\"passphrase\":\"correct horse battery staple\"}", "{\"passphrase\":\"[REDACTED]\"}");
}

#[test]
fn a_json_number_becomes_a_string() {
    check(r#"{"password":123456,"a":1}"#, r#"{"password":"[REDACTED]","a":1}"#);
    check(r#"{"token": -1.5e9 }"#, r#"{"token": "[REDACTED]" }"#);
    check(r#"{"a":"{\"pwd\":42}"}"#, r#"{"a":"{\"pwd\":\"[REDACTED]\"}"}"#);
}

#[test]
fn headers_lose_their_credentials_and_keep_the_rest() {
    check("Authorization: Bearer abc.def-123", "Authorization: Bearer [REDACTED]");
    check("authorization: Basic dXNlcjpwYXNz\r", "authorization: Basic [REDACTED]\r");
    check("Authorization: token 0a1b2c3d4e", "Authorization: token [REDACTED]");
    check("Proxy-Authorization: 0a1b2c3d4e5f", "Proxy-Authorization: [REDACTED]");
    check(r#"{"authorization":"Bearer abc123def"}"#, r#"{"authorization":"Bearer [REDACTED]"}"#);
    check(
        r#"curl -H "Authorization: Bearer abc123def" x"#,
        r#"curl -H "Authorization: Bearer [REDACTED]" x"#,
    );
    check(
        r#"{"a":"curl -H \"Authorization: Bearer abc123def\" x"}"#,
        r#"{"a":"curl -H \"Authorization: Bearer [REDACTED]\" x"}"#,
    );
    check(
        "Authorization: AWS4-HMAC-SHA256 Credential=A/2/x, SignedHeaders=host, Signature=fe5f80",
        "Authorization: AWS4-HMAC-SHA256 [REDACTED]",
    );
    check(
        "Cookie: theme=dark; sessionid=abc123; lang=en",
        "Cookie: theme=dark; sessionid=[REDACTED]; lang=en",
    );
    check("Set-Cookie: sid=abc123; Path=/; HttpOnly", "Set-Cookie: sid=[REDACTED]; Path=/; HttpOnly");
    check(r#"{"cookie":"connect.sid=s%3Aabc; a=b"}"#, r#"{"cookie":"connect.sid=[REDACTED]; a=b"}"#);
    check("/x?authorization=Bearer%20abc123def&y=1", "/x?authorization=Bearer%20[REDACTED]&y=1");
    check("authorization%3A%20Bearer%20abc123def", "authorization%3A%20Bearer%20[REDACTED]");
    let digest =
        "username=QbobQ, realm=Qa bQ, response=Q0123456789abcdef0123456789abcdefQ".replace('Q', "\"");
    check(&format!("Authorization: Digest {digest}"), "Authorization: Digest [REDACTED]");
    check(
        &format!("{{\"h\":\"Authorization: Digest {}\"}}", digest.replace('"', "\\\"")),
        "{\"h\":\"Authorization: Digest [REDACTED]\"}",
    );
    check(
        &format!("{{\"authorization\":\"Digest {}\",\"n\":1}}", digest.replace('"', "\\\"")),
        "{\"authorization\":\"Digest [REDACTED]\",\"n\":1}",
    );
    keeps("Authorization: Not Included");
    keeps("authorization = base64.decodebytes(x)");
    keeps("Authorization: Bearer ${TOKEN}");
    keeps("Authorization: Bearer <token>");
    keeps("Authorization: required");
    keeps("x-api-version: 2024-01-01");
}

#[test]
fn what_stands_for_a_value_is_kept() {
    for value in [
        "",
        "null",
        "true",
        "false",
        "None",
        "${X}",
        "$X",
        "$TOKEN",
        "<token>",
        "{{ token }}",
        "***",
        "xxxxxxxx",
        "[REDACTED]",
        "your-api-key-here",
        "YOUR_API_KEY",
        "changeme",
        "%s",
        "{}",
        "{token}",
        "process.env.TOKEN",
        "os.environ",
        "op://vault/item/field",
        "env:TOKEN",
        "GITHUB_TOKEN",
        "string",
        "••••••",
    ] {
        keeps(&format!(r#"{{"api_key":"{value}"}}"#));
        keeps(&format!("password = \"{value}\""));
    }
    for value in ["null", "true", "None", "${X}", "$X", "<token>", "***", "xxxxxxxx", "[REDACTED]"] {
        keeps(&format!("token={value}"));
        keeps(&format!("token: {value}"));
    }
}

#[test]
fn code_and_prose_are_kept() {
    for line in [
        "token: the thing you type to get in",
        "password = get_password()",
        "let token = self.next_token();",
        "token: String,",
        "pub password: Option<String>,",
        "token: &str,",
        "password: str = None",
        "api_key=os.environ[\"API_KEY\"]",
        "apiKey: process.env.OPENAI_API_KEY,",
        "connect(user, password=password, token=token)",
        "secret = config.secret",
        "const token = req.headers.token;",
        "if (password === undefined) return;",
        "The password must have twelve characters.",
        "error: invalid token: unexpected end",
        "use --token to authenticate, or --password",
        "{\"password\":\"Please enter your password\"}",
        "PWD=/home/user",
        "OLDPWD=/home/user/work",
        "token = tokens[0]",
        "credentials: 'include'",
        "auth: { user, pass }",
        "secret: |",
        "password:",
        "api_key_env = \"LOCAL_KEY\"",
        "token := lexer.Next()",
        "match token { Token::Eof => {} }",
        "Token::Eof => 1,",
        "private key: see the vault",
        "fn password(&self) -> &str {",
        "SECRET_KEY_BASE=$(openssl rand -hex 64)",
        "token: /run/secrets/token",
        "\"key\": \"value\"",
        "assert(pass == true)",
        "pass: 12, fail: 0",
        "pub const IFLA_INET6_TOKEN: _bindgen_ty_5 = 8;",
        "pub const SQL_CS_AUTHORIZATION: i32 = 64;",
        "pub ApplyControlToken: SpApplyControlTokenFn,",
        "($($token:literal)*) => {}",
        "{\"PWD\": \"/home/me/project\"}",
        "OLDPWD=/x/y9",
        "PWD=/home/Me/Project12",
        "${TOKEN:?must be set}",
        "${API_TOKEN:-default-value1}",
        "${DB_PASSWORD:?must be set to 1 value}",
        "if token == 'def':",
        "if token != \"def\" {",
        "if (token === 'let') {",
        "AUTH=CRAM-MD5",
        "run --private-key --private-key-subject=x1",
        "tokens: [\"hello\", \"world\"]",
        "\"tokens\":[1,2,3]",
        "pw = getpwuid(uid)",
        "the api key: see the vault",
    ] {
        keeps(line);
    }
}

#[test]
fn every_string_of_a_list_under_a_secrets_name_is_masked() {
    check(r#"{"api_keys": ["a1", "b2"],"n":1}"#, r#"{"api_keys": ["[REDACTED]", "[REDACTED]"],"n":1}"#);
    check(r#"{"tokens":["Tok9Xyz4","b2"]}"#, r#"{"tokens":["[REDACTED]","b2"]}"#);
    check(
        r#"{"a":"{\"secrets\":[\"a1\",\"b2\"]}"}"#,
        r#"{"a":"{\"secrets\":[\"[REDACTED]\",\"[REDACTED]\"]}"}"#,
    );
    check("access_tokens: ['a1', 'b2']", "access_tokens: ['[REDACTED]', '[REDACTED]']");
    check(r#"passwords = ["a1","${X}","b2"]"#, r#"passwords = ["[REDACTED]","${X}","[REDACTED]"]"#);
    check(r#"{"passwords":["a1"#, r#"{"passwords":["[REDACTED]"#);
    keeps(r#"{"api_keys":[],"secrets":[{"id":1}]}"#);
}

#[test]
fn passwords_on_command_lines_are_masked() {
    check("mysql -u root -pHunter2 db", "mysql -u root -p[REDACTED] db");
    check(r#"{"command":"mysqldump -h db -phunter"}"#, r#"{"command":"mysqldump -h db -p[REDACTED]"}"#);
    check("mysql password=\"a;b\" -phunter2", "mysql password=\"[REDACTED]\" -p[REDACTED]");
    check("mysql --token='a|b' -phunter2; x", "mysql --token='[REDACTED]' -p[REDACTED]; x");
    check("mysql -u \"root\" -phunter2", "mysql -u \"root\" -p[REDACTED]");
    check(r#"{"c":"mysql -u \"root\" -phunter2"}"#, r#"{"c":"mysql -u \"root\" -p[REDACTED]"}"#);
    keeps("mysql \"a;b\" -phunter2");
    check("sshpass -p hunter2 ssh a@b", "sshpass -p [REDACTED] ssh a@b");
    check("sshpass -p 'hunter2' ssh a@b", "sshpass -p '[REDACTED]' ssh a@b");
    check("sshpass -phunter2 ssh a@b", "sshpass -p[REDACTED] ssh a@b");
    check("redis-cli -h r -a hunter2 ping", "redis-cli -h r -a [REDACTED] ping");
    check("docker login -u bob -p hunter2 host", "docker login -u bob -p [REDACTED] host");
    check("curl -ubob:hunter2 https://x", "curl -ubob:[REDACTED] https://x");
    check("curl --user=bob:hunter2 https://x", "curl --user=bob:[REDACTED] https://x");
    check("curl -s -u bob:hunter2 https://x", "curl -s -u bob:[REDACTED] https://x");
    check("sudo curl -u 'bob:hunter2' https://x", "sudo curl -u 'bob:[REDACTED]' https://x");
    for before in
        ["docker ps; ", "docker ps\n", "docker ps && x", "{\"a\":\"docker ps\\n", "docker exec c curl"]
    {
        check(&format!("{before} -u bob:hunter2"), &format!("{before} -u bob:[REDACTED]"));
    }
    check("machine h.example login bob password hunter", "machine h.example login bob password [REDACTED]");
    for line in [
        "mysql -u root -p db",
        "date -u +%Y-%m-%dT%H:%M:%SZ",
        "[[\"docker login -p\"]]",
        "[[\"docker login -p \"]]",
        "a | docker run -e A=1 -u app:app2 image",
        "mysql -p$PW db",
        "sshpass -p \"$PW\" ssh a@b",
        "docker run -u app:app2 image",
        "docker run --user=app:app2 image",
        "perldoc -u X::Y2",
        "rsync -u host:path9 .",
        "docker login --help",
        "the machine learning login flow has a password field",
    ] {
        keeps(line);
    }
}

#[test]
fn a_password_that_holds_a_secrets_name_is_still_a_password() {
    check("password=hunter2secret", "password=[REDACTED]");
    check("DB_PASSWORD=mytoken12345", "DB_PASSWORD=[REDACTED]");
    check("password: x9password8", "password: [REDACTED]");
    keeps("password = db_password");
    keeps("token = GITHUB_TOKEN_2");
}
