import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inheritedEnvironment } from '../../../src/domain/agent/environment.ts'
import { KnownSecrets } from '../../../src/domain/agent/known-secrets.ts'
import { secretIn } from '../../../src/domain/agent/secret-value.ts'
import { withholding } from '../../../src/domain/agent/withholding.ts'

const L = 'abcdefghijABCDEFGHIJ0123456789abcdefghij'
const HEX = '0123456789abcdef0123456789abcdef01234567'
const PEM = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n-----END OPENSSH PRIVATE KEY-----'

describe('the value has a secret in it', () => {
  test.each([
    ['a URL with a password', 'postgres://ann:hunter2@db.example.org:5432/app'],
    ['a URL with a password', 'redis://:hunter2@cache:6379/0'],
    ['a URL with a password', 'amqps://user:p%40ss@rabbit/vhost'],
    ['a URL with a password', 'mongodb+srv://u:p/w@cluster0.example.net/?w=majority'],
    ['a URL with a password', 'first https://ok.example.org then https://u:secret@host'],
    ['a URL with a password', `https://${HEX.slice(0, 32)}@o1.ingest.sentry.io/1`],
    ['a URL with a secret parameter', 'https://api.example.org/v1?access_token=abcdefgh12345'],
    ['a URL with a secret parameter', 'postgres://db/app?password=hunter2hunter2'],
    ['a webhook URL', `https://hooks.slack.com/services/T000/B000/${L}`],
    ['a webhook URL', `https://discord.com/api/webhooks/123456789012345678/${L}`],
    ['a webhook URL', 'https://acme.webhook.office.com/webhookb2/1f-2b@3c/IncomingWebhook/aa/bb'],
    ['a webhook URL', `https://prod-01.westus.logic.azure.com:443/workflows/${HEX}/triggers/manual/paths/invoke?sp=1`],
    ['a webhook URL', 'https://chat.example.org/hooks/abcdefghijklmnopqrstuvwxyz'],
    ['a token', `sk-ant-api03-${L}`],
    ['a token', `ghp_${L}`],
    ['a token', `github_pat_${L}`],
    ['a token', `xoxb-1234567890-${L}`],
    ['a token', 'AKIAIOSFODNN7EXAMPLE'],
    ['a token', `glpat-${L}`],
    ['a token', `npm_${L}`],
    ['a token', `hf_${L}`],
    ['a token', `extra words and sk_live_${L}`],
    ['a token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.sflKxwRJSMeKKF2QT4'],
    ['a private key', PEM],
    ['a private key', PEM.replaceAll('\n', '\\n')],
    ['a connection string with a password', 'Server=db;Database=x;User Id=sa;Password=hunter2;'],
    ['a connection string with a password', 'host=db user=ann password=hunter2 dbname=x'],
    ['a connection string with a password', 'jdbc:postgresql://db/app?user=ann&password=hunter2'],
    ['a connection string with a password', '--user=ann --password=hunter2'],
    ['a login of a .netrc', 'machine git.example.org login ann password hunter2'],
    ['a token of a bot', `123456789:AA${'x1'.repeat(16)}y`],
    ['a connection string with a password', 'ann:hunter2@tcp(db:3306)/app?parseTime=true'],
    ['a connection string with a password', `DefaultEndpointsProtocol=https;AccountName=x;AccountKey=${L}==`],
    ['a login for HTTP', 'Authorization: Basic dXNlcjpwYXNzd29yZA=='],
    ['a login for HTTP', 'Basic dXNlcjpwYXNzd29yZA=='],
    ['a login for HTTP', 'x-api-key: 0123456789abcdef'],
    ['a login in JSON', '{"auths":{"registry.example.org":{"auth":"dXNlcjpwYXNz"}}}'],
    ['a login in JSON', '{"user":"ann","dbPassword":"hunter2"}'],
  ])('%s: %s', (why, value) => {
    expect(secretIn(value)).toMatchObject({ why })
  })
})

/** Real values of ordinary variables. */
const ORDINARY = {
  PATH: '/usr/local/sbin:/usr/local/bin:/opt/sk-learn-experiments-2024/bin:/home/ann/npm_packages/bin:.',
  MANPATH: ':/usr/share/man',
  LS_COLORS: 'rs=0:di=01;34:ln=01;36:mh=00:pi=40;33:so=01;35:do=01;35:*.tar=01;31:*.pem=00:*.key=00:',
  GPG_TTY: '/dev/pts/3',
  SSH_AUTH_SOCK: '/run/user/1000/keyring/ssh',
  SSH_CONNECTION: '10.0.0.1 52022 10.0.0.2 22',
  XDG_DATA_DIRS: '/usr/share/gnome:/usr/local/share/:/usr/share/',
  XDG_SESSION_ID: '3',
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/run/user/1000/bus,guid=0123456789abcdef0123456789abcdef',
  GIT_COMMIT: HEX,
  GITHUB_SHA: `${HEX}${HEX.slice(0, 24)}`,
  INVOCATION_ID: '9f1b2c3d-4e5f-4a6b-8c7d-0e1f2a3b4c5d',
  IMAGE: `node:20.1.2-alpine@sha256:${HEX}${HEX.slice(0, 24)}`,
  LOCALE_DATA: Buffer.from('locale data, '.repeat(60)).toString('base64'),
  VSCODE_NLS_CONFIG: '{"locale":"en","availableLanguages":{},"_languagePackSupport":true}',
  LESSOPEN: '| /usr/bin/lesspipe %s',
  PS1: '\\[\\e]0;\\u@\\h: \\w\\a\\]\\u@\\h:\\w\\$ ',
  EDITOR: 'code --wait',
  http_proxy: 'http://proxy.example.org:3128',
  no_proxy: 'localhost,127.0.0.1,.example.org',
  REPOSITORY: 'git@github.com:owner/name.git',
  REMOTE: 'ssh://git@github.com:22/owner/name.git',
  REGISTRY: 'http://registry:4873/@scope/name',
  DATABASE_URL: 'postgres://ann@db.example.org/app',
  TEMPLATE_URL: 'postgres://ann:$PASSWORD@db.example.org/app',
  MASKED_URL: 'postgres://ann:***@db.example.org/app',
  NODE_OPTIONS: '--max-old-space-size=4096 --require=/opt/x.cjs',
  JAVA_OPTS: '-Xmx2g -Djavax.net.ssl.trustStore=/etc/ssl/store.jks',
  MAKEFLAGS: ' -j4 --jobserver-auth=3,4',
  TERM_SESSION_ID: 'w0t0p0:9F1B2C3D-4E5F-4A6B-8C7D-0E1F2A3B4C5D',
  PACKAGE: 'npm:react-dom@18.2.0',
  STACK: 'a basic understanding of the bearer of news',
}

test('ordinary variables pass, with their values unchanged', () => {
  expect(inheritedEnvironment(ORDINARY, withholding([], []))).toEqual(ORDINARY)
})

test('hashes, ids and base64 are no secrets, whatever they are', () => {
  const withholds = withholding([], [])
  const hex = fc.stringMatching(/^[0-9a-f]{40}$/)
  const base64 = fc.uint8Array({ minLength: 30, maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64'))
  const path = fc
    .array(fc.stringMatching(/^[a-zA-Z0-9_.-]{1,20}$/), { minLength: 1 })
    .map((names) => `/${names.join('/')}`)
  const paths = fc.array(path, { minLength: 1 }).map((all) => all.join(':'))
  const value = fc.oneof(
    hex,
    fc.uuid(),
    paths,
    base64.filter((text) => !/(?:AKIA|ASIA|ABIA|ACCA|dapi|AIza|eyJ)/.test(text)),
  )
  fc.assert(fc.property(value, (each) => void expect(withholds('ORDINARY', each)).toBeUndefined()))
})

test('a password in a URL is found and withheld wherever it stands, and masked alone as well', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9]{0,11}$/)
  const password = fc.stringMatching(/^[A-Za-z][A-Za-z0-9!$&()*+,;=._~%-]{7,30}$/).filter((text) => !/^x+$/i.test(text))
  fc.assert(
    fc.property(word, word, password, word, fc.constantFrom('', 'see '), (scheme, user, secret, host, before) => {
      fc.pre(scheme.length > 1)
      const env = { ADDRESS: `${before}${scheme}://${user}:${secret}@${host}/x` }
      const withholds = withholding([], [])
      expect(inheritedEnvironment(env, withholds)).toEqual({})
      expect(inheritedEnvironment(env, withholding([], ['ADDRESS']))).toEqual(env)
      const known = new KnownSecrets(withholds)
      known.note(env)
      expect(known.redact(`<${secret}>`)).toBe('<[redacted]>')
    }),
  )
})

test('agents get a proxy without its user and password, and git settings without their values', () => {
  const env = {
    http_proxy: 'http://ann:p@ss/word@proxy.example.org:3128/',
    HTTPS_PROXY: 'http://ann:secret12@proxy:3128',
    npm_config_https_proxy: 'http://proxy:3128',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'http.extraheader',
    GIT_CONFIG_VALUE_0: 'AUTHORIZATION: basic eC1hY2Nlc3MtdG9rZW46Z2hz',
    GIT_CONFIG_KEY_1: `url.https://x:ghs_${L}@github.com/.insteadOf`,
    GIT_CONFIG_VALUE_1: 'https://github.com/',
  }
  expect(inheritedEnvironment(env, withholding([], []))).toEqual({
    http_proxy: 'http://proxy.example.org:3128/',
    HTTPS_PROXY: 'http://proxy:3128',
    npm_config_https_proxy: 'http://proxy:3128',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'http.extraheader',
    GIT_CONFIG_VALUE_0: '',
    GIT_CONFIG_KEY_1: 'fleet.withheld',
    GIT_CONFIG_VALUE_1: 'https://github.com/',
  })
  expect(inheritedEnvironment(env, withholding([], ['http_proxy', 'HTTPS_PROXY', 'GIT_CONFIG_*']))).toEqual(env)
})

test('values that a person gave to a coder are masked, unless they are plainly something else', () => {
  const known = new KnownSecrets(withholding([{ families: ['ANTHROPIC'] }], []))
  known.noteGiven({
    ACME_LOGIN: 'hunter2hunter2',
    ANTHROPIC_MODEL: 'claude-sonnet-4-5-20250929',
    CONFIG_DIR: '/home/ann/.claude-2',
    NODE_ENV: 'production',
    GATEWAY: 'https://gateway.example.org/v1',
    MY_TOKEN: 'production',
  })
  const text = 'hunter2hunter2 claude-sonnet-4-5-20250929 /home/ann/.claude-2 https://gateway.example.org/v1 production'
  expect(known.redact(text)).toBe(
    '[redacted] claude-sonnet-4-5-20250929 /home/ann/.claude-2 https://gateway.example.org/v1 [redacted]',
  )
})

test('each line of a secret with several lines is masked alone, as a listing shows it', () => {
  const known = new KnownSecrets(withholding([], []))
  known.note({ DEPLOY_KEY: 'first line of it\nsecond line of it' })
  expect(known.redact('> second line of it')).toBe('> [redacted]')
  expect(known.redact('"first line of it\\nsecond line of it"')).toBe('"[redacted]"')
})

test('looking for a secret in a long hostile value takes linear time', () => {
  for (const piece of ['a:', '://', 'x=;', '{"a":', ' password ', 'server=', '/a:', 'basic ', 'eyJ.', '?a=']) {
    secretIn(piece.repeat(100_000 / piece.length))
  }
}, 20_000)
