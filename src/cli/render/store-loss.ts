import { LOSS_RULES, type StoreLoss } from '../../domain/fleet/store-loss.ts'
import { AppError } from '../../errors.ts'
import type { Home } from '../../platform/files/home.ts'

const HOW: Readonly<Record<StoreLoss['how'], string>> = {
  gone: 'is no longer there',
  replaced: 'was replaced by another file',
  truncated: 'was cut off',
}

export function lossText({ what, how, path }: StoreLoss): string {
  const folder = what === 'home' && how === 'replaced' ? 'was replaced by another folder' : HOW[how]
  return `${LOSS_RULES[what].name}, ${path}, ${folder}`
}

/** The end of a supervisor that lost a file of its home. */
export function lossError(loss: StoreLoss, home: Home): AppError {
  const { agents } = LOSS_RULES[loss.what]
  return new AppError('queue', `the supervisor has ended: ${lossText(loss)}`, {
    hint:
      agents === 'keep'
        ? 'its agents keep running; fleet run adopts them'
        : `its agents were stopped, and nothing was written since; ${wayBack(loss, home)}`,
  })
}

function wayBack({ what, how, rescued }: StoreLoss, home: Home): string {
  if (what === 'home') return `move the home back to ${home.path}, or restore it, then fleet run`
  if (rescued === undefined) return 'fleet doctor says what is left, and how to restore it; then fleet run'
  // A restore replaces no store that looks whole.
  const isLeft = what !== 'store' || how === 'replaced'
  const first = isLeft ? `move ${home.store}, -wal and -shm away, then ` : ''
  return `the store as it was is in ${rescued}: ${first}fleet doctor --restore puts it back; then fleet run`
}
