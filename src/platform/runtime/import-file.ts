/**
 * The one `import()` of what is not part of fleet. Code that was kept (start.ts) cannot import, so Node itself loads this
 * file, and it needs no other of fleet's: those would be loaded twice.
 */
export function importFile(url: string): Promise<Readonly<Record<string, unknown>>> {
  return import(url)
}
