import { Database } from '../../src/platform/sqlite/database.ts'

/** The tables of a home's store that contain one of these texts. */
export function tablesWith(path: string, texts: readonly string[]): string[] {
  using database = new Database(path, { readOnly: true })
  const tables = database
    .once<{ name: string }>(`select name from sqlite_schema where type = 'table' order by name`)
    .all()
  return tables
    .map(({ name }) => name)
    .filter((name) => {
      const rows = JSON.stringify(database.once(`select * from "${name}"`).all())
      return texts.some((text) => rows.includes(text))
    })
}
