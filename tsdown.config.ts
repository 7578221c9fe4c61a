import { defineConfig } from 'tsdown'

// One CJS bundle with lazy chunks starts in 1.6 bare Node starts; many ESM files take 2.5 (docs/adr/0002).
// Only the SQLite driver stays outside: it carries native binaries.
export default defineConfig({
  entry: { fleet: 'src/cli/main.ts' },
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  outExtensions: () => ({ js: '.cjs' }),
  dts: false,
  sourcemap: false,
  clean: true,
  minify: true,
  deps: { neverBundle: ['@photostructure/sqlite'] },
})
