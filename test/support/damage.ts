/** Everything an agent can do to a file of its task, as lines of sh. `$F` is the file, `$PRECIOUS` a file of the user's. */
export interface Deed {
  readonly script: string
  /** Only root can. */
  readonly asRoot?: boolean
  /** Only to a file, or only to a folder. */
  readonly only?: 'file' | 'folder'
  /** Afterwards nothing is at the path. */
  readonly isRemoval?: boolean
  /** Afterwards a file is at the path that can be removed. */
  readonly leavesFile?: boolean
}

const REMOVE = 'chmod -R u+rwx "$F" 2>/dev/null; rm -rf "$F"'
/** A file that is not there yet is made first. */
const THERE = '[ -e "$F" ] || : >"$F"'

export const DEEDS = {
  locked: { script: `${THERE}; chmod 000 "$F"`, leavesFile: true },
  'made read-only': { script: `${THERE}; chmod 400 "$F"`, leavesFile: true },
  removed: { script: REMOVE, isRemoval: true },
  renamed: { script: `mv "$F" "$F.moved"`, isRemoval: true },
  'made a pipe': { script: `${REMOVE}; mkfifo "$F"` },
  'made a folder': { script: `${REMOVE}; mkdir -p "$F/inside"; chmod 000 "$F/inside"`, only: 'file' },
  'made a file': { script: `${REMOVE}; echo '{}' >"$F"`, only: 'folder' },
  'made a link to a file': { script: `${REMOVE}; ln -s "$PRECIOUS" "$F"` },
  'made a link to a folder': { script: `${REMOVE}; ln -s /tmp "$F"` },
  'made a link to itself': { script: `${REMOVE}; ln -s "$F" "$F"` },
  'given a second name': { script: `${THERE}; ln "$F" "$F.second"`, only: 'file', leavesFile: true },
  'made another name of a file': { script: `${REMOVE}; ln "$PRECIOUS" "$F"`, only: 'file', leavesFile: true },
  'made an endless device': { script: `${REMOVE}; mknod "$F" c 1 5`, asRoot: true },
  'made immutable': { script: `${THERE}; chattr +i "$F"`, asRoot: true },
} as const satisfies Readonly<Record<string, Deed>>

export type DeedName = keyof typeof DEEDS

/** The files and folders of a first attempt, relative to the folder of the task. */
export const TARGETS: Readonly<Record<string, { kind: 'file' | 'folder'; isNeeded: boolean }>> = {
  '': { kind: 'folder', isNeeded: true },
  attempts: { kind: 'folder', isNeeded: true },
  'attempts/1': { kind: 'folder', isNeeded: true },
  inbox: { kind: 'folder', isNeeded: true },
  artifacts: { kind: 'folder', isNeeded: false },
  'attempts/1/launch.json': { kind: 'file', isNeeded: true },
  'attempts/1/stdout.jsonl': { kind: 'file', isNeeded: true },
  'attempts/1/stderr.log': { kind: 'file', isNeeded: true },
  'attempts/1/prompt.md': { kind: 'file', isNeeded: false },
  'attempts/1/exit.json': { kind: 'file', isNeeded: false },
  'attempts/1/exit.json.pid': { kind: 'file', isNeeded: false },
  'attempts/1/receipt.json': { kind: 'file', isNeeded: false },
}

/** When the agent does it: before fleet has read anything, between two looks, and as its last instruction. */
export const MOMENTS = {
  'at once': (deed: string) => `${deed}; echo working; sleep 1.2`,
  'while it works': (deed: string) => `echo working; sleep 1.2; ${deed}; sleep 1.2`,
  'at its end': (deed: string) => `echo working; ${deed}`,
} as const

export type Moment = keyof typeof MOMENTS

export interface Case {
  readonly target: string
  readonly deed: DeedName
  readonly moment: Moment
}

/** Every combination that makes sense. */
export function allCases({ isRoot }: { isRoot: boolean }): readonly Case[] {
  return Object.entries(TARGETS).flatMap(([target, { kind }]) =>
    (Object.keys(DEEDS) as DeedName[])
      .filter((deed) => {
        const { only = kind, asRoot = false }: Deed = DEEDS[deed]
        return only === kind && (isRoot || !asRoot)
      })
      .flatMap((deed) => (Object.keys(MOMENTS) as Moment[]).map((moment) => ({ target, deed, moment }))),
  )
}

/** The same cases for the same seed. */
export function sample(cases: readonly Case[], { seed, count }: { seed: number; count: number }): readonly Case[] {
  let state = seed
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % below
  }
  const left = [...cases]
  return Array.from({ length: Math.min(count, cases.length) }, () => left.splice(next(left.length), 1)[0] as Case)
}

/** A script for the shell coder that does the deed and then succeeds. */
export function scriptOf({ target, deed, moment }: Case, precious: string): string {
  return `F="$FLEET_TASK_DIR${target === '' ? '' : `/${target}`}"; PRECIOUS='${precious}'
${MOMENTS[moment](DEEDS[deed].script)}
exit 0`
}

/**
 * Whether the deed destroys evidence. An agent may remove its artifacts, and a script itself. A file in place of the exit
 * file does not stay there: the wrapper writes a new one.
 */
export function isDestructive({ target, deed }: Case): boolean {
  const { isRemoval = false, leavesFile = false }: Deed = DEEDS[deed]
  if (target === 'attempts/1/exit.json' && leavesFile) return false
  return !isRemoval || TARGETS[target]?.isNeeded === true
}

/** One of each way in which a run could be kept from its end. */
export const LOCKS: Readonly<Record<string, readonly [target: string, deed: DeedName]>> = {
  'its folder': ['', 'locked'],
  attempts: ['/attempts', 'locked'],
  attempt: ['/attempts/1', 'made a pipe'],
  inbox: ['/inbox', 'locked'],
  record: ['/attempts/1/launch.json', 'made a pipe'],
  output: ['/attempts/1/stdout.jsonl', 'made a link to itself'],
  events: ['/events.jsonl', 'made a link to itself'],
}

export const deedOn = (target: string, deed: DeedName): string =>
  `F="$FLEET_TASK_DIR${target}"; PRECIOUS=/etc/hosts; ${DEEDS[deed].script}`
