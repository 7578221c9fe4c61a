import { openLedger } from '../app.ts'
import { loadConfig } from '../config/load.ts'
import type { Home } from '../platform/files/home.ts'
import { type Freed, retain } from '../store/retention.ts'

/** Applies the home's retention now. `olderThan`: removes raw output as old as that, whatever the setting says. */
export async function collectGarbage(
  home: Home,
  { olderThan, dryRun, now }: { olderThan: number | undefined; dryRun: boolean; now: number },
): Promise<Freed> {
  const { config } = await loadConfig(home.config)
  const { compress_after: compressAfter, remove_after: removeAfter } = config.retention
  using ledger = openLedger(home)
  return await retain({
    home,
    ledger,
    retention: { compressAfter, removeAfter: olderThan ?? removeAfter },
    now,
    dryRun,
  })
}
