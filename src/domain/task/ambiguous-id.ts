/** A store lists at most one more than this. */
const LISTED = 20

/** Says which tasks the text may mean, in bd's words. */
export function ambiguity(text: string, ids: readonly string[]): string {
  const many = ids.length > LISTED ? `more than ${LISTED}` : String(ids.length)
  const listed = ids.slice(0, LISTED).join(' ')
  return `ambiguous issue ID: ${JSON.stringify(text)} matches ${many} issues: [${listed}]\nUse more characters to disambiguate`
}
