import { enableCompileCache } from '../platform/runtime/compile-cache.ts'

// Before the first file that is worth caching is loaded.
enableCompileCache(process.env)
void import('./main.ts')
