import type { SettingsInForce } from '../configuration.ts'

export function settingsJson({ path, settings }: SettingsInForce): Record<string, unknown> {
  const rows = settings.map(({ key, value, source }) => ({ key, value: value ?? null, source }))
  return { schema_version: 1, path, settings: rows }
}

export function configurationTextJson({ path, text }: { path: string; text: string }): Record<string, unknown> {
  return { schema_version: 1, path, text }
}
