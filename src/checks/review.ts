import { join } from 'node:path'
import { namespaceFor } from '../domain/fleet/pid-namespace.ts'
import { agentReviewPrompt, hasWorkToShow } from '../domain/review/agent-review.ts'
import { isOfAccount, type ReviewAnswer, reviewAnswer } from '../domain/review/review-answer.ts'
import type { Changes } from '../domain/run/changes.ts'
import type { CheckVerdict } from '../domain/run/check-result.ts'
import { bounded } from '../domain/text/bounded.ts'
import { lastLines } from '../domain/verify/failing-part.ts'
import type { CommandTry } from '../domain/verify/verification.ts'
import { createPrivate, makeNewFolder } from '../platform/files/attempt-folder.ts'
import type { Check, CheckSubject } from '../ports/checks.ts'
import type { Coders } from '../ports/coders.ts'
import type { Lanes } from '../ports/lanes.ts'
import type { Ledger } from '../ports/ledger.ts'
import type { Machine } from '../ports/machine.ts'
import type { Queue } from '../ports/queue.ts'
import { placeOnLane } from './place-on-lane.ts'
import { reviewedDiff } from './reviewed-diff.ts'
import { findReviewer, type Reviewer } from './reviewer.ts'
import { type ReviewerOutput, reviewerOutput, usageOf } from './reviewer-output.ts'
import { runCommand } from './run-command.ts'
import type { VerifierParts } from './verifier.ts'

export interface ReviewerParts extends VerifierParts {
  readonly coders: Pick<Coders, 'find'>
  readonly ledger: Pick<Ledger, 'recordsOf'>
  readonly queue: Pick<Queue, 'get'>
  readonly machine: Pick<Machine, 'findProgram' | 'hasPidNamespaces' | 'isRoot'>
  readonly lanes: Lanes
}

/**
 * Another coder looks at the work, read-only, in an empty directory of its own: what stands in the tree configures it in no
 * way. It can send the work back with reasons; only a person accepts it.
 */
export function agentReviewCheck(parts: ReviewerParts): Check {
  return {
    name: 'review',
    appliesTo: ({ run }) => parts.policy().reviewBy(run.project) !== undefined,
    async run(subject, signal) {
      const name = parts.policy().reviewBy(subject.run.project) ?? ''
      if (!hasWorkToShow(subject.changes)) return nothingToReview(name)
      const by = await findReviewer(parts, { name, run: subject.run })
      if ('problem' in by) return notReviewed(name, by.problem)
      const namespace = namespaceFor(parts.policy().pidNamespace, parts.machine)
      if (typeof namespace !== 'boolean') return notReviewed(name, namespace.lacks)
      return await reviewOnLane(parts, { name, subject, by }, signal)
    },
  }
}

/** No provider is in trouble in so many ways, one after the other. */
const MOST_ROUNDS = 100

interface Reviewing {
  readonly name: string
  readonly subject: CheckSubject
  readonly by: Reviewer
}

/** Waits for the lane of the reviewer, and again when its account gets into trouble. */
async function reviewOnLane(
  parts: ReviewerParts,
  { name, subject, by }: Reviewing,
  signal: AbortSignal,
): Promise<CheckVerdict> {
  const { redact } = parts.environment
  const wish = { lane: by.coder.name, waits: subject.waits }
  const [commands, outputs]: [CommandTry[], ReviewerOutput[]] = [[], []]
  const found = () => ({ commands, usage: usageOf(outputs) })
  for (let round = 1; ; round++) {
    // An earlier supervisor may have begun it.
    const isBegun = parts.records.of(subject.run.id).some((each) => each.name === nameOf(by) && each.round === round)
    const place = isBegun ? undefined : await placeOnLane(parts.lanes, wish, signal)
    if (typeof place === 'string') return { ...notReviewed(name, `waited for too long: ${redact(place)}`), ...found() }
    using _place = place
    const tried = await review(parts, { subject, by, round }, signal)
    const output = reviewerOutput(tried, by.coder)
    // Its words, and not the lines of its stream.
    const told = { failing: redact(output.trouble?.text ?? ''), tail: lastLines(redact(output.said)) }
    commands.push({ ...tried, ...told })
    outputs.push(output)
    const answer = reviewAnswer({ end: tried.end, ...output })
    const { trouble } = output
    if (answer.verdict !== 'none' || trouble === undefined || !isOfAccount(trouble) || round === MOST_ROUNDS) {
      if (trouble === undefined && tried.end.kind === 'exited') place?.answered()
      return { ...verdictOf(name, answer, redact), ...found() }
    }
    place?.troubled({ ...trouble, text: redact(trouble.text) })
  }
}

function nameOf({ coder }: Reviewer): string {
  return `review by ${coder.name}`
}

async function review(
  parts: ReviewerParts,
  { subject, by, round }: { subject: CheckSubject; by: Reviewer; round: number },
  signal: AbortSignal,
): Promise<CommandTry> {
  const { run, folder } = subject
  const { coder, program, args, env } = by
  const { environment } = parts
  const prompt = environment.redact(await promptOf(parts, subject))
  const start = (process: { id: string; folder: string }) => {
    const promptFile = join(process.folder, 'prompt.md')
    createPrivate(promptFile, prompt)
    // Made now, so its agent has put nothing there.
    const cwd = join(process.folder, 'empty')
    makeNewFolder(cwd)
    return {
      cwd,
      program,
      args,
      env: { ...environment.of({ ...run, id: process.id, coder: coder.name }, env), TMPDIR: process.folder },
      stdin: promptFile,
    }
  }
  const order = { subject: run.id, task: run.task, folder: join(folder, 'checks') }
  const command = { name: nameOf(by), command: `${coder.name}, read-only` }
  return await runCommand(parts, { order, command, round, cwd: run.cwd, start }, signal)
}

async function promptOf(
  { ledger, queue }: ReviewerParts,
  { run, changes = NO_CHANGES, artifacts, base }: CheckSubject,
): Promise<string> {
  const task = await queue.get(run.task)
  const letter = ledger.recordsOf(run.id).letters.findLast(({ item }) => item.kind === 'done')?.item
  const diff = await reviewedDiff(base, changes)
  return agentReviewPrompt({
    task: task ?? { id: run.task, title: run.title, description: '', acceptance_criteria: '' },
    claim: letter?.kind === 'done' ? letter.summary : '',
    files: changes.files,
    artifacts: changes.artifacts.map((name) => join(artifacts, name)),
    refs: changes.refs ?? [],
    diff: diff && { text: diff.text, leftOut: diff.leftOut.length },
    cwd: base?.kind === 'git' ? base.root : run.cwd,
  })
}

const NO_CHANGES: Changes = { files: [], commits: [], artifacts: [] }

function verdictOf(name: string, answer: ReviewAnswer, redact: (text: string) => string): CheckVerdict {
  switch (answer.verdict) {
    case 'pass':
      return { kind: 'passed' }
    case 'none':
      return notReviewed(name, redact(answer.why))
    case 'reject': {
      const reasons = answer.reasons.map((each) => redact(each))
      const text = bounded(`${name} reviewed it and sent it back: ${reasons.join('; ')}`, 500)
      const details = `The review says:\n${reasons.map((each) => `- ${each}`).join('\n')}`
      return { kind: 'failed', outcome: { code: 'review-rejected', text, details } }
    }
  }
}

/** Without its answer only a person can say whether the work is good. */
function notReviewed(name: string, why: string): CheckVerdict {
  return { kind: 'needs-person', text: `not reviewed by ${name}: ${bounded(why, 300)}` }
}

/** A script, whose exit alone decides, or a claim without changes, where the task asks for no evidence. */
function nothingToReview(name: string): CheckVerdict {
  const text = 'there is nothing to review'
  return { kind: 'skipped', text, warnings: [`not reviewed by ${name}: ${text}`] }
}
