export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\/\S+$/.test(text)
}

const ADDRESS = /(["']?)(postgres(?:ql)?:\/\/\S*)/g
/**
 * Matches up to the closing quote. A quote inside that someone forgot to escape is not followed by a comma, bracket or
 * similar.
 */
const QUOTED = { '"': /^(?:\\.|[^"\\]|"(?![\s,:;\])}]|$))*/, "'": /^(?:[^']|'(?![\s,:;\])}]|$))*/ }

/** Masks the passwords of all Postgres URLs in a text: the one after the user name and the `password` parameter. */
export function withoutPasswords(text: string): string {
  return text.replace(ADDRESS, (_whole, quote: string, rest: string) => {
    const url = quote === '"' || quote === "'" ? (QUOTED[quote].exec(rest)?.[0] ?? rest) : rest
    const masked = url.replace(/^([^:]*:\/\/[^\s:@/]*:)\S*(?=@)/, '$1***').replace(/([?&]password=)[^&]*/g, '$1***')
    return `${quote}${masked}${withoutPasswords(rest.slice(url.length))}`
  })
}

/** fleet keeps its tables in their own schema, so that a database can hold other tables, or several queues. */
const SCHEMA = 'fleet'
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,40}$/

export interface PostgresAddress {
  /** For the driver: without the parameters that it does not know or treats differently from libpq. */
  readonly url: string
  readonly schema: string
  /** sslmode, sslrootcert, sslcert and sslkey as given in the URL. */
  readonly tls: Readonly<Record<string, string>>
  /** The `options` parameter: settings for the server at the start of a connection. */
  readonly options: string | undefined
}

const HANDLED_BY_FLEET = ['schema', 'options', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'ssl']

/** Whether two addresses lead to the same tables, as far as their texts show it. */
export function isSameQueue(a: string, b: string): boolean {
  const [one, other] = [a, b].map(placeIn)
  return one !== undefined && one === other
}

function placeIn(text: string): string | undefined {
  const address = postgresAddress(text)
  if (address === undefined || !URL.canParse(address.url)) return undefined
  const { hostname, port, pathname, username, searchParams } = new URL(address.url)
  const host = (searchParams.get('host') ?? hostname).toLowerCase()
  const here = ['', 'localhost', '127.0.0.1', '[::1]', '::1'].includes(host) || host.startsWith('/')
  const database = searchParams.get('dbname') ?? (pathname.replace(/^\//, '') || username)
  return JSON.stringify([here ? '' : host, (searchParams.get('port') ?? port) || '5432', database, address.schema])
}

/** undefined if the schema is not a plain name. */
export function postgresAddress(text: string): PostgresAddress | undefined {
  const [base = '', query = ''] = text.split(/\?(.*)/s, 2)
  const parameters = new URLSearchParams(query)
  const handled = Object.fromEntries(
    HANDLED_BY_FLEET.flatMap((name) => (parameters.has(name) ? [[name, parameters.get(name) ?? '']] : [])),
  )
  for (const name of HANDLED_BY_FLEET) parameters.delete(name)
  const { schema = SCHEMA, options, ssl, ...tls } = handled
  if (!SCHEMA_NAME.test(schema)) return undefined
  if (ssl !== undefined && tls['sslmode'] === undefined)
    tls['sslmode'] = ssl === 'true' || ssl === '1' ? 'require' : 'disable'
  const rest = parameters.toString()
  return { url: rest === '' ? base : `${base}?${rest}`, schema, tls, options }
}
