/** What a supervisor printed, without its lines about programs that the machine of the tests lacks. */
export function withoutMissingPrograms(output: string): string {
  return output.replace(/^(?:[0-9:]+ {2})?! \w+ is not on PATH: .*\n/gm, '')
}
