import { claude } from './claude.ts'
import { codex } from './codex.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'
import type { RealCoder } from './real-coder.ts'

const ALL: readonly RealCoder[] = [claude, codex, opencode, gemini]

/** The installed coders: `npm run test:real -- codex` installs only one. */
export const INSTALLED = ALL.filter(({ name }) => name in JSON.parse(process.env['FLEET_REAL_CODERS'] ?? '{}'))
