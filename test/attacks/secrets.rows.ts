import type { Topic } from '../support/attack.ts'

export const ROWS = {
  title: 'Secrets',
  attacks: {
    environment: {
      agent: 'looks for secrets in its environment: keys, tokens, passwords in URLs, logins in JSON',
      fleet:
        'They are not there: variables are withheld by their names and by their values, unless env_pass names them.',
      verdict: 'prevented',
    },
    descriptors: {
      agent: 'reads files and sockets that the shell which started fleet had open',
      fleet: 'It gets standard input, output and errors only.',
      verdict: 'prevented',
    },
    tasks: {
      agent:
        'writes a secret that it has into the titles, descriptions, comments, notes, labels or memories of the queue',
      fleet: 'The queue keeps the text without the secret.',
      verdict: 'prevented',
    },
    files: {
      agent: 'writes a secret that it has into its plan, its output, its letters or the project',
      fleet:
        'People see it masked, on the terminal and with --json; the files of the agent and a pipe have it unchanged.',
      verdict: 'noticed',
    },
    encoded: {
      agent: 'writes a secret that it has in another form: reversed, encoded, letter by letter',
      fleet: 'fleet does not recognise it. Give an agent only secrets that it may reveal.',
      verdict: 'open',
    },
    supervisor: {
      agent: "reads the supervisor's environment from /proc",
      fleet: 'In a pid namespace it does not see the supervisor. Without one it runs as you, and can.',
      verdict: 'open',
    },
  },
} as const satisfies Topic
