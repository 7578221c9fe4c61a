import { openHomeStore } from '../../app.ts'
import { policyOf } from '../../config/policy.ts'
import { assignmentWithoutDefaults, type Chosen, keptAssignment } from '../../domain/fleet/assignment.ts'
import { runningElsewhere } from '../../domain/fleet/claimer.ts'
import { type FleetContext, type Waiting, waitingFor } from '../../domain/fleet/waiting.ts'
import { settingsOf } from '../../domain/task/settings.ts'
import { isWork, type Task } from '../../domain/task/task.ts'
import { AppError } from '../../errors.ts'
import { supervisorAlive } from '../../platform/sqlite/supervisor-lock.ts'
import type { TaskStore } from '../../ports/task-store.ts'
import { awaitedQuestion, knownOf } from '../../store/known.ts'
import { notesOf } from '../../store/notes.ts'
import { refusedEdit } from '../../store/refused-edit.ts'
import { detailsJson } from '../bd/parts/show-json.ts'
import type { Command } from '../command.ts'
import { configurationOf } from '../follow/configuration.ts'
import { findTask } from '../follow/find-task.ts'
import { seatsFor } from '../follow/machines.ts'
import { type ShownTask, shownLines } from '../render/show.ts'
import { standingJson } from '../render/show-json.ts'
import { flagsInForce } from './flags-in-force.ts'

/** How many of the newest notes are shown; the task's log has all of them. */
const NOTES = 5

export const show: Command = {
  name: 'show',
  summary: 'one task: what it is, its attempts, and why it is not running',
  usage: '<id> [--json]',
  about: `One task: what it is, where it runs, with which coder and model, its open question, its attempts with outcome,
tokens and cost, what its agents noted, and why it is not running if it is not.
Values that were not given on the task itself are marked (default).`,
  examples: ['fleet show fleet-a1b', 'fleet show a1b --json | jq .fleet'],
  flags: [{ name: 'json', kind: 'switch', help: "bd's show document in its envelope, and a fleet object beside it" }],
  async run({ home, flags, args, print, warn, answer }) {
    const [text, more] = args
    if (text === undefined || more !== undefined) {
      throw new AppError('usage', `fleet show takes one task id${more === undefined ? '' : `, got ${args.length}`}`, {
        hint: 'fleet bd list shows the ids',
      })
    }
    await using store = await openHomeStore(home, { readOnly: true })
    const { queue, ledger } = store
    const task = await findTask(queue, text)
    const settings = settingsOf(task.metadata)
    const cwd: Chosen<string | undefined> = { value: settings.cwd, given: settings.cwd !== undefined }
    const { config, trouble } = await configurationOf(home)
    if (trouble !== undefined) warn(`warning: ${trouble}`)
    const known = (await knownOf(store, [task.id]))(task.id)
    const { state, last } = known
    const question = awaitedQuestion(task, known)
    const attempts = ledger.runsOf(task.id)
    const holder = supervisorAlive(home)
    const policy = config && policyOf(config, flagsInForce(holder))
    const assignment =
      policy === undefined
        ? assignmentWithoutDefaults(settings, state)
        : keptAssignment(policy.assignment(settings), state)
    const supervised = holder !== undefined
    const { ownAlone, ...seats } = await seatsFor(task.metadata, { store, policy, supervised })
    const shown: ShownTask = {
      task,
      cwd,
      assignment,
      configured: policy !== undefined,
      command: settings.command,
      on: settings.on,
      now: Date.now(),
      running: ledger.openRunOf(task.id),
      attempts,
      // The one under way is not among those that machines have told of.
      attemptsElsewhere: Math.max(state.attempts, attempts.at(-1)?.attempt ?? 0) - attempts.length,
      question,
      refusedEdit: refusedEdit(home, task.id),
      notes: notesOf(home, task.id, { most: NOTES }),
      waiting: await waitingOf(queue, task, {
        ...seats,
        elsewhere: runningElsewhere(task, (await queue.hosts?.all()) ?? []),
        state,
        lastRun: last,
        question,
        lane: ownAlone ? ledger.lanes().find((lane) => lane.name === assignment.coder.value) : undefined,
        paused: ownAlone ? ledger.paused() : undefined,
      }),
    }
    if (!flags.on('json')) {
      for (const line of shownLines(shown)) print(line)
      return
    }
    answer({
      schema_version: 1,
      data: [await detailsJson(queue, task)],
      fleet: {
        cwd: cwd.value ?? null,
        coder: assignment.coder.value ?? null,
        model: assignment.model.value ?? null,
        command: settings.command ?? null,
        on: settings.on ?? null,
        defaults: Object.entries({ cwd, ...assignment }).flatMap(([name, { given }]) => (given ? [] : [name])),
        ...standingJson(shown),
      },
    })
  },
}

async function waitingOf(store: TaskStore, task: Task, fleet: FleetContext): Promise<Waiting> {
  const [blocked] = await store.blocked({ ids: [task.id] })
  return waitingFor(task, {
    blockedBy: blocked?.blockedBy ?? [],
    ready: (await store.count({ ids: [task.id], ready: true })) > 0,
    isWork: isWork(task.issue_type),
    now: Date.now(),
    fleet,
  })
}
