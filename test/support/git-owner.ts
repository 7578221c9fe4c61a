import type { GitOwner } from '../../src/platform/git/git-owner.ts'
import { NO_USER_CONFIG } from '../../src/platform/git/user-config.ts'

/** Somebody without a configuration of their own, so that a test does not depend on the machine's. */
export const OWNER: GitOwner = { config: () => NO_USER_CONFIG, env: process.env }
export const ownerOf = () => OWNER
