import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PS_LEG } from './ps-leg.mjs'
import { PS_EXCEPTIONS } from './support/ps-exceptions.ts'

test.each(PS_EXCEPTIONS)(
  'the exception of $file names a test that is there, and asks for it',
  ({ file, test: title }) => {
    const text = readFileSync(join(import.meta.dirname, file), 'utf8')
    expect(text.split(`'${title}'`)).toHaveLength(3)
    expect(text.replace(/\s+/g, '')).toContain(`isExcepted('${title}'`.replace(/\s+/g, ''))
    expect(PS_LEG.some((path) => `test/${file}`.startsWith(path))).toBe(true)
  },
)
