import { AppError } from '../errors.ts'

export function labelRegex(pattern: string): RegExp {
  try {
    return new RegExp(pattern)
  } catch (error) {
    throw new AppError('failed', `invalid label regex ${JSON.stringify(pattern)}: ${(error as Error).message}`)
  }
}
