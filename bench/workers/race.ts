import { openLocalQueue } from '../../src/app.ts'
import { Home } from '../../src/platform/files/home.ts'
import { drainOnWord } from '../drain.ts'

const [home = '', by = ''] = process.argv.slice(2)

async function main(): Promise<void> {
  await using queue = openLocalQueue(new Home(home))
  await drainOnWord(queue, by)
}

main()
