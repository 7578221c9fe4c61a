import { join } from 'node:path'
import { openLocalQueue } from '../../app.ts'
import { coderFor, coderNames } from '../../coders/registry.ts'
import { editConfig } from '../../config/edit.ts'
import { loadConfig } from '../../config/load.ts'
import { withSettings } from '../../domain/task/settings.ts'
import { AppError } from '../../errors.ts'
import { makeHome } from '../../home/make.ts'
import { readText, writeFileAtomic } from '../../platform/files/files.ts'
import { Home, privateDirectory } from '../../platform/files/home.ts'
import { writing } from '../../platform/git/write.ts'
import { findProgram } from '../../platform/process/program.ts'
import { projectTask } from '../../store/task-file.ts'
import { SCRIPTED, scriptedSettings, writeAgent, writePart } from './agent.ts'
import { DEMO_TASKS } from './tasks.ts'

/** A home and a project below one throw-away folder; the user's own are not touched. */
export interface DemoPlace {
  readonly folder: string
  readonly home: Home
  readonly project: string
  /** The parts of the scripted agent. */
  readonly agent: string
}

export interface DemoCoder {
  readonly name: string
  /** `agent`: the scripted agent of the demo; `script`: the task is a script; `model`: it asks a model. */
  readonly kind: 'agent' | 'script' | 'model'
  /** The configuration to copy, for a coder whose login or variables it names. */
  readonly config: string | undefined
}

/** Finds a coder that a demo can run; a wrong configuration is refused before anything is made. */
export async function demoCoder(
  { home, env }: { home: Home; env: NodeJS.ProcessEnv },
  name: string,
): Promise<DemoCoder> {
  if (name === SCRIPTED) return { name, kind: 'agent', config: undefined }
  const coder = await coderFor(name)
  if (coder === undefined) {
    const known = [SCRIPTED, ...coderNames()].join(', ')
    throw new AppError('usage', `fleet demo cannot run ${JSON.stringify(name)}, only ${known}`)
  }
  if (coder.traits.evidence === 'exit') return { name, kind: 'script', config: undefined }
  if (findProgram(coder.binary, env) === undefined) {
    throw new AppError('failed', `${coder.binary} is not on PATH`, {
      hint: 'install it and log in; fleet demo alone needs neither',
    })
  }
  await loadConfig(home.config)
  return { name, kind: 'model', config: home.config }
}

/** Ids of the tasks by their keys. */
export type DemoIds = ReadonlyMap<string, string>

export async function makePlace(folder: string, coder: DemoCoder, env: NodeJS.ProcessEnv): Promise<DemoPlace> {
  const place = {
    folder,
    home: new Home(join(folder, 'home')),
    project: join(folder, 'project'),
    agent: join(folder, 'agent'),
  }
  privateDirectory(place.home.path)
  const config = coder.config === undefined ? undefined : readText(coder.config)
  if (config !== undefined) {
    writeFileAtomic(place.home.config, config)
    // The tasks of a demo do not belong in the user's own queue.
    await editConfig(place.home, ['queue=local'])
  }
  await makeHome(place.home, { repair: false, queue: 'local', env })
  if (coder.kind === 'agent') {
    writeAgent(place.agent)
    await editConfig(place.home, scriptedSettings(place.agent))
  }
  privateDirectory(place.project)
  writeFileAtomic(join(place.project, 'README.md'), '# A shop with three regions\n')
  const git = writing(env)
  for (const argv of GIT) await git(['-C', place.project, ...argv], { timeoutMs: 10_000 })
  return place
}

/** Without git the project is a plain directory, which works as well. The user's hooks and keys are not used. */
const GIT: readonly (readonly string[])[] = [
  ['-c', 'init.templateDir=', '-c', 'init.defaultBranch=main', 'init', '--quiet'],
  ...Object.entries({
    'user.name': 'fleet demo',
    'user.email': 'demo@localhost',
    'commit.gpgSign': 'false',
    'core.hooksPath': '/dev/null',
  }).map(([name, value]) => ['config', name, value]),
  ['add', '--all'],
  ['commit', '--quiet', '--message=Begin'],
]

export async function createTasks({ home, project, agent }: DemoPlace, coder: DemoCoder): Promise<DemoIds> {
  await using queue = openLocalQueue(home)
  const ids = new Map<string, string>()
  for (const each of DEMO_TASKS) {
    const { key, title, needs, script, prompt } = each
    const task = await queue.create(
      {
        title,
        description: coder.kind === 'script' ? script : prompt,
        dependencies: needs.map((need) => ({ on: ids.get(need) as string, type: 'blocks' })),
        metadata: withSettings({}, { cwd: project, coder: coder.name }),
      },
      'demo',
    )
    projectTask(home, task)
    if (coder.kind === 'agent') writePart(agent, task.id, each)
    ids.set(key, task.id)
  }
  return ids
}
