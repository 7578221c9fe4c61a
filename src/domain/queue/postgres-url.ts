export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\/\S+$/.test(text)
}

const ADDRESS = /(["']?)(postgres(?:ql)?:\/\/\S*)/g
/** To the quote that ends it. Where people forgot to escape one inside, no comma, bracket or the like follows that. */
const QUOTED = { '"': /^(?:\\.|[^"\\]|"(?![\s,:;\])}]|$))*/, "'": /^(?:[^']|'(?![\s,:;\])}]|$))*/ }

/** Any text with the passwords of the Postgres URLs in it masked: after the user's name, and as a parameter. */
export function withoutPasswords(text: string): string {
  return text.replace(ADDRESS, (_whole, quote: string, rest: string) => {
    const url = quote === '"' || quote === "'" ? (QUOTED[quote].exec(rest)?.[0] ?? rest) : rest
    const masked = url.replace(/^([^:]*:\/\/[^\s:@/]*:)\S*(?=@)/, '$1***').replace(/([?&]password=)[^&]*/g, '$1***')
    return `${quote}${masked}${withoutPasswords(rest.slice(url.length))}`
  })
}

/** fleet's tables stand in a schema of their own, so that a database may hold others too, or several queues. */
const SCHEMA = 'fleet'
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,40}$/

export interface PostgresAddress {
  /** For the driver: without what it would take in another way than libpq does, or does not know. */
  readonly url: string
  readonly schema: string
  /** sslmode, sslrootcert, sslcert and sslkey as given in the URL. */
  readonly tls: Readonly<Record<string, string>>
  /** What the URL would tell the server at the start of a connection. */
  readonly options: string | undefined
}

const OWN = ['schema', 'options', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'ssl']

/** undefined: the schema it names is no plain name. */
export function postgresAddress(text: string): PostgresAddress | undefined {
  const [base = '', query = ''] = text.split(/\?(.*)/s, 2)
  const parameters = new URLSearchParams(query)
  const own = Object.fromEntries(
    OWN.flatMap((name) => (parameters.has(name) ? [[name, parameters.get(name) ?? '']] : [])),
  )
  for (const name of OWN) parameters.delete(name)
  const { schema = SCHEMA, options, ssl, ...tls } = own
  if (!SCHEMA_NAME.test(schema)) return undefined
  if (ssl !== undefined && tls['sslmode'] === undefined)
    tls['sslmode'] = ssl === 'true' || ssl === '1' ? 'require' : 'disable'
  const rest = parameters.toString()
  return { url: rest === '' ? base : `${base}?${rest}`, schema, tls, options }
}
