import { expect, test } from 'vitest'
import { codexSaying, reviewing } from '../support/reviewing.ts'

const PASS = codexSaying('Looks right.\n{"verdict": "pass", "reasons": []}')

test.each([
  ['is killed', `kill -9 $$`, {}, 'its process was killed from outside (SIGKILL), as when memory runs out'],
  ['takes too long', 'sleep 600', { verifyTimeout: 2000 }, 'its process did not end within 2 s (timeouts.verify)'],
  ['fails', 'exit 3', {}, 'its process ended with exit status 3'],
  [
    'reports trouble',
    `echo '{"type":"turn.failed","error":{"message":"unexpected status 503 Service Unavailable"}}'; exit 1`,
    {},
    'unexpected status 503 Service Unavailable',
  ],
])('the verdict of a reviewer that %s afterwards does not count: a person decides', async (_, after, policy, why) => {
  const { review } = await reviewing(`cat <<'END'\n${PASS}\nEND\n${after}`)
  expect(await review({}, policy)).toMatchObject({ kind: 'needs-person', text: `not reviewed by codex: ${why}` })
})
