/** The first rows, and whether there are more. */
export interface Listed<T> {
  readonly rows: readonly T[]
  readonly more: boolean
}

/** Cuts rows to the limit. The caller reads one more row than the limit, so that `more` can be known. */
export function listed<T>(rows: readonly T[], limit: number): Listed<T> {
  return { rows: rows.slice(0, limit), more: rows.length > limit }
}

interface Reading<T, U> {
  read(most: number): Promise<readonly T[]>
  /** The row to list; undefined leaves it out. */
  fitting(row: T): Promise<U | undefined>
}

/** Reads ever more rows until enough of them fit, or no more are left. */
export async function firstFitting<T, U>(limit: number, { read, fitting }: Reading<T, U>): Promise<Listed<U>> {
  for (let most = limit + 1; ; most *= 4) {
    const rows = await read(most)
    const fits: U[] = []
    for (const row of rows) {
      const fit = await fitting(row)
      if (fit !== undefined) fits.push(fit)
      if (fits.length > limit) break
    }
    if (fits.length > limit || rows.length < most) return listed(fits, limit)
  }
}
