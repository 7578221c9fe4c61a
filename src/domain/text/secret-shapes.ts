/**
 * The shapes of secrets in a text, in tables: one list serves the redaction of texts and the choice of variables that agents
 * do not get.
 */

const WORD = '[A-Za-z0-9_-]'

/**
 * Well-known tokens: how each begins, and the rest of it. Upper and lower case matter. These begin with a word and a dash,
 * underscore or dot.
 */
const SEPARATED: readonly (readonly [begins: string, rest: string])[] = [
  // A digit, or a length that no word has: `sk-learn-experiments` is no key.
  ['sk-', `(?=[A-Za-z_-]*\\d|[A-Za-z0-9]{20}|${WORD}{32})${WORD}{16,}`],
  ['(?:sk|rk|pk)_(?:live|test)_', '[A-Za-z0-9]{16,}'],
  ['whsec_', '[A-Za-z0-9+/=_-]{16,}'],
  // Of the key that a run signs its letters with.
  ['fleet-key-', `${WORD}{40,}`],
  ['gh[opsur]_', '[A-Za-z0-9]{20,}'],
  ['github_pat_', '[A-Za-z0-9_]{20,}'],
  ['gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct|oas)-', `${WORD}{16,}`],
  ['npm_', '[A-Za-z0-9]{30,}'],
  ['pypi-', `${WORD}{40,}`],
  ['rubygems_', '[a-f0-9]{32,}'],
  ['hf_', '[A-Za-z0-9]{30,}'],
  ['gsk_', '[A-Za-z0-9]{30,}'],
  ['xai-', '[A-Za-z0-9]{30,}'],
  ['pplx-', '[A-Za-z0-9]{30,}'],
  ['r8_', '[A-Za-z0-9]{30,}'],
  ['nvapi-', `${WORD}{30,}`],
  ['xox[a-z]-', '[A-Za-z0-9-]{10,}'],
  ['xapp-', '[A-Za-z0-9-]{20,}'],
  ['xoxe\\.', '[A-Za-z0-9.-]{20,}'],
  ['ya29\\.', '[A-Za-z0-9._-]{20,}'],
  ['GOCSPX-', `${WORD}{20,}`],
  ['SG\\.', `${WORD}{16,}\\.${WORD}{16,}`],
  ['dckr_(?:pat|oat)_', `${WORD}{20,}`],
  ['hv[sbr]\\.', `${WORD}{20,}`],
  ['do[opr]_v1_', '[a-f0-9]{32,}'],
  ['shp(?:at|ca|pa|ss)_', '[A-Fa-f0-9]{32}'],
  ['lin_(?:api|oauth)_', '[A-Za-z0-9]{30,}'],
  ['ntn_', '[A-Za-z0-9]{30,}'],
  ['figd_', `${WORD}{30,}`],
  ['sntry[su]_', '[A-Za-z0-9+/=_-]{30,}'],
  ['gl(?:sa|c)_', '[A-Za-z0-9+/=_-]{30,}'],
  ['pul-', '[a-f0-9]{40}'],
  ['tskey-', `${WORD}{20,}`],
  ['sbp_', '[a-f0-9]{30,}'],
  ['pscale_(?:tkn|pw|oauth)_', '[A-Za-z0-9._-]{20,}'],
  ['PMAK-', '[A-Za-z0-9-]{30,}'],
  ['fm[12]_', '[A-Za-z0-9+/=_-]{60,}'],
  ['ops_', 'eyJ[A-Za-z0-9+/=_-]{60,}'],
  ['AGE-SECRET-KEY-', '1[A-Z0-9]{30,}'],
  ['PRIVATE-TOKEN-', `${WORD}{16,}`],
]

const OTHERS: readonly (readonly [begins: string, rest: string])[] = [
  ['(?:AKIA|ASIA|ABIA|ACCA)', '[A-Z0-9]{16}(?![A-Za-z0-9])'],
  ['AIza', `${WORD}{30,}`],
  ['eyJ', `${WORD}{8,2000}\\.${WORD}{8,4000}\\.${WORD}*`],
  ['dapi', '[a-f0-9]{32}'],
  ['AT(?:ATT|CTT)3x', '[A-Za-z0-9=_-]{30,}'],
]

/** Looks at separators only: testing for every beginning at every letter takes four times as long. */
const SEPARATORS = new RegExp(`[-_.](?<=(?<![A-Za-z0-9_])(?:${SEPARATED.map(([begins]) => begins).join('|')}))`)

const tokens = (list: typeof SEPARATED): RegExp =>
  new RegExp(list.map(([begins, rest]) => `(?<![A-Za-z0-9_])${begins}${rest}`).join('|'), 'g')

/** The address of a webhook, up to the part that lets anybody post to it. */
const WEBHOOKS = [
  'hooks\\.slack(?:-gov)?\\.com\\/(?:services|workflows|triggers)\\/',
  'discord(?:app)?\\.com\\/api\\/(?:v\\d+\\/)?webhooks\\/',
  '[a-z0-9-]+\\.webhook\\.office\\.com\\/',
  'outlook\\.office(?:365)?\\.com\\/webhook\\/',
  '[a-z0-9.-]+\\.logic\\.azure\\.com(?::\\d+)?\\/workflows\\/',
  '[a-z0-9.-]+\\.api\\.powerplatform\\.com(?::\\d+)?\\/',
  'chat\\.googleapis\\.com\\/v1\\/spaces\\/',
  'api\\.telegram\\.org\\/(?:file\\/)?bot',
  'hooks\\.zapier\\.com\\/hooks\\/',
  'hook\\.[a-z0-9.]*(?:make|integromat)\\.com\\/',
  'maker\\.ifttt\\.com\\/trigger\\/',
  'open\\.(?:feishu|larksuite)\\.[a-z]+\\/open-apis\\/bot\\/v2\\/hook\\/',
  'qyapi\\.weixin\\.qq\\.com\\/cgi-bin\\/webhook\\/send\\?',
  'oapi\\.dingtalk\\.com\\/robot\\/send\\?',
  '[a-z0-9.-]+(?::\\d+)?\\/hooks\\/(?=[a-z0-9]{26}\\b)',
]

/** Characters of a URL, without those that usually end it in a text. */
const URL_REST = `[^\\s"'<>\`\\\\)\\]}]`

/**
 * A password in a URL. It may contain quotes (a quote before a comma, bracket or similar ends the string around the URL) and
 * slashes, but a port is none: `http://host:80/@scope`.
 */
const NO_PORT = '(?!\\d{1,5}(?:[/,;\\s"\'?#]|$))'
const PASSWORD = '(?:[^\\s@"\'<>]|["\'](?![\\s,:;\\])}]|$)){1,200}'

/** A long user name with digits and without a password is a token: `https://0123456789abcdef0123@ingest.example.org/1`. */
const TOKEN_AS_USER = '(?=[^\\s:@/]{0,200}\\d)[A-Za-z0-9_-]{20,200}(?=@)'

/** Names of parameters and of keys in JSON whose values are secrets. */
const NAME =
  '(?:[a-z]+[_-])*(?:access[_-]?token|refresh[_-]?token|id[_-]?token|auth[_-]?token|identitytoken|token|api[_-]?key|client[_-]?secret|secret(?:[_-]?(?:access)?[_-]?key)?|private[_-]?key|password|passwd)'

const HEADER = 'authorization["\']?\\s{0,4}[:=]\\s{0,4}["\']?(?:(?:basic|bearer|token|digest|apikey)\\s{1,4})?'
const DATABASE =
  '\\b(?:server|data source|host|hostname|address|endpoint|accountname|user id|uid|username|user|database|initial catalog|dbname|driver)\\s{0,3}=[^\\n"\']{0,300}?[;\\s](?:password|pwd|accountkey|sharedaccesskey|sharedaccesssignature)\\s{0,3}=\\s{0,3}'

export interface Shape {
  /** Every such secret contains this text: the cheapest test. */
  readonly has?: string
  /** A cheap test that every text with such a secret passes. Nearly all text fails it. */
  readonly begins: RegExp
  /** The group, if any, is a part that stays visible: the word Bearer, the user name in a URL, the name of a parameter. */
  readonly secret: RegExp
  readonly what: string
}

export const SHAPES: readonly Shape[] = [
  {
    what: 'a private key',
    has: '-----BEGIN ',
    begins: /-----BEGIN /,
    secret:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  { what: 'a token', begins: SEPARATORS, secret: tokens(SEPARATED) },
  { what: 'a token', begins: /A(?:KIA|SIA|BIA|CCA|Iza|T[AC]TT3x)|eyJ|dapi/, secret: tokens(OTHERS) },
  {
    what: 'a webhook URL',
    has: '://',
    begins: /hook|\/bot|\/workflows\/|\/spaces\/|\/robot\/|powerplatform|ifttt/i,
    secret: new RegExp(`(https?:\\/\\/(?:${WEBHOOKS.join('|')}))${URL_REST}{8,}`, 'gi'),
  },
  {
    what: 'a URL with a password',
    has: '://',
    begins: /:\/\/[^\s@]{1,320}@/,
    secret: new RegExp(
      `\\b([a-z][a-z0-9+.-]{1,20}:\\/\\/[^\\s:@/"'<>]{0,100}:)${NO_PORT}${PASSWORD}(?=@)|\\b([a-z][a-z0-9+.-]{1,20}:\\/\\/)${TOKEN_AS_USER}`,
      'gi',
    ),
  },
  {
    what: 'a URL with a secret parameter',
    has: '=',
    begins: /[?&]\w[\w-]*=/,
    secret: new RegExp(
      `([?&](?:${NAME}|pwd|key|sig|signature|x-amz-signature|x-amz-security-token)=)[^\\s&"'<>]{8,}`,
      'gi',
    ),
  },
  {
    what: 'a login for HTTP',
    begins: /bearer\s|authorization|_auth|_password|x-\w+-(?:key|token)/i,
    secret: new RegExp(
      [
        `(\\bbearer\\s{1,20})[A-Za-z0-9._~+/-]{12,}=*`,
        `(\\b${HEADER})(?!(?:basic|bearer|token|digest|apikey)\\b)[A-Za-z0-9._~+/-]{8,}=*`,
        `(_(?:auth|authToken|password)\\s{0,2}=\\s{0,2}"?)[A-Za-z0-9._~+/-]{8,}=*`,
        `(\\bx-(?:api-key|auth-token|vault-token)["']?\\s{0,4}[:=]\\s{0,4}["']?)[^\\s"']{8,}`,
      ].join('|'),
      'gi',
    ),
  },
  {
    what: 'a login in JSON',
    has: '"',
    begins: /"(?<=(?:token|key|secret|password|passwd|auth)")\s{0,4}:\s{0,4}"/i,
    // A path is no password: "pwd":"/home/ann".
    secret: new RegExp(
      `("${NAME}"\\s{0,4}:\\s{0,4}")(?!\\[redacted\\]|/)[^\\s"]{8,}(?=")|("auth"\\s{0,4}:\\s{0,4}")[A-Za-z0-9+/=_:-]{8,}(?=")`,
      'gi',
    ),
  },
  {
    what: 'a connection string with a password',
    has: '=',
    begins: /(?:password|pwd|accountkey|sharedaccesskey|sharedaccesssignature)\s{0,3}=/i,
    secret: new RegExp(`(${DATABASE})[^;\\s"']+`, 'gi'),
  },
]
