import type { Effective } from '../../config/effective.ts'
import type { SettingsInForce } from '../configuration.ts'

export function settingsJson({ path, settings }: SettingsInForce): Record<string, unknown> {
  const rows = settings.map(({ key, value, source }) => ({ key, value: value ?? null, source }))
  return { schema_version: 1, path, settings: rows }
}

export function settingJson({ key, value, source }: Effective): Record<string, unknown> {
  return { schema_version: 1, key, value: value ?? null, source }
}

export function configurationTextJson({ path, text }: { path: string; text: string }): Record<string, unknown> {
  return { schema_version: 1, path, text }
}
