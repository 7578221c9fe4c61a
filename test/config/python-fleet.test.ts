import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check, type Raw } from '../../src/config/check.ts'
import { changed } from '../../src/config/patch.ts'
import { convertPythonSettings } from '../../src/config/python-fleet.ts'
import { settingKeys } from './keys.ts'

/** Every setting of the Python fleet that is known, with a value it could have. */
const PYTHON: Raw = {
  max_concurrent: 4,
  coder: 'codex',
  model: 'gpt-9',
  retry_limit: 5,
  telegram_chat_id: 1,
  telegram_allowed_ids: [1],
  telegram_default_cwd: '/x',
  opencode_ollama_url: 'http://localhost',
  opencode_default_model: 'm',
  opencode_bedrock_region: 'eu',
  opencode_bedrock_profile: 'p',
  ollama_ssh_host: 'h',
  ollama_remote_port: 1,
  max_concurrent_overrides: 'claude:2',
  context_windows: { opus: 1_000_000 },
  stall_warning_minutes: 15,
  stall_action: 'warn',
  max_attempt_minutes: 120,
  continue_pack_max_bytes: 8192,
  state_max_bytes: 6144,
  compaction_enabled: true,
  compaction_coder: 'claude',
  compaction_model: 'haiku',
  context_checkpoint_pct: 75,
  context_kill_pct: 80,
  isolation: 'worktree',
  isolation_exclude: ['/x'],
  post_merge_command: 'make',
  triage_enabled: true,
  helper_enabled: true,
  helper_coder: 'claude',
  helper_model: 'opus',
  gc_retention_days: 30,
  gc_archive_days: 90,
  gc_beads: true,
  observer_max_followups: 10,
  observer_max_rounds: 3,
  job_gate: 'on',
  job_child_coder: 'claude',
  job_child_model: 'opus',
  job_max_children: 9,
  job_max_phase_attempts: 3,
  serve_host: '0.0.0.0',
  serve_port: 7890,
  serve_cors_origins: [],
  claim_enabled: true,
  flows_folders: ['/f'],
}

const converted = (given: Raw): Raw => convertPythonSettings(given, []).changes.reduce(changed, given)

describe('settings of the Python fleet', () => {
  test('are taken over, or named with what does the job here', () => {
    const { kept, taken, dropped, refused } = convertPythonSettings(PYTHON, [])
    expect(converted(PYTHON)).toEqual({
      max_concurrent: 4,
      coder: 'codex',
      model: 'gpt-9',
      isolation: 'worktree',
      max_attempts: 5,
      context_pressure_threshold_pct: 80,
      timeouts: { wall: '120m' },
    })
    expect(kept).toEqual(['max_concurrent', 'coder', 'model', 'isolation'])
    expect(taken).toEqual([
      'retry_limit = 5 is now max_attempts = 5',
      'max_attempt_minutes = 120 is now timeouts.wall = "120m"',
      'context_kill_pct = 80 is now context_pressure_threshold_pct = 80',
    ])
    const [named, all] = [dropped.map((line) => line.split(' ')[0]), Object.keys(PYTHON)]
    const gone = all.filter((key) => !kept.includes(key) && !taken.some((line) => line.startsWith(key)))
    expect(named).toEqual(gone)
    expect(refused).toEqual([])
  })

  test('a setting that is named as doing the job here exists', () => {
    const { dropped } = convertPythonSettings(PYTHON, [])
    const inFull = /\b(?:timeouts|retention|projects\.<path>|coders\.<name>)\.[a-z_]+/g
    const named = dropped.flatMap((line) => line.match(inFull) ?? [])
    expect(named.length).toBeGreaterThan(3)
    expect(settingKeys()).toEqual(expect.arrayContaining(named.map((key) => key.replace(/<\w+>/, '*'))))
  })

  test('a limit of silence is taken over only where it stops the agent', () => {
    expect(converted({ stall_warning_minutes: 20, stall_action: 'kill' })).toEqual({ timeouts: { idle: '20m' } })
    expect(converted({ stall_warning_minutes: 20, stall_action: 'warn' })).toEqual({})
  })

  test('values that this fleet does not accept are dropped with the reason, and a model goes with its coder', () => {
    const given = { max_concurrent: 0, coder: 'pi', model: 'big', retry_limit: 0, unheard_of: 1 }
    expect(converted(given)).toEqual({ max_attempts: 1 })
    expect(convertPythonSettings(given, []).refused).toEqual([
      'unheard_of = 1: it is not a setting fleet knows',
      'max_concurrent = 0: it is 0, expected a whole number from 1 to 1000',
      'coder = "pi": it is "pi", expected one of claude, codex, agy, opencode, gemini, shell',
      'model = "big": the model of that coder',
    ])
  })

  test('a value that is out of range in its new form is named once, as the person wrote it', () => {
    const given = { context_kill_pct: 0, model: 'x', coder: 'ollama', max_attempt_minutes: 5_000_000, retry_limit: 2 }
    expect(convertPythonSettings(given, [])).toEqual({
      changes: [
        { key: ['context_kill_pct'], value: undefined },
        { key: ['max_attempt_minutes'], value: undefined },
        { key: ['retry_limit'], value: undefined },
        { key: ['max_attempts'], value: 2 },
        { key: ['coder'], value: undefined },
        { key: ['model'], value: undefined },
      ],
      kept: [],
      taken: ['retry_limit = 2 is now max_attempts = 2'],
      dropped: [],
      refused: [
        'context_kill_pct = 0: context_pressure_threshold_pct is 0, expected a whole number from 1 to 100',
        'max_attempt_minutes = 5000000: timeouts.wall is "5000000m", expected a duration such as "2h", or "none", from 100ms to 30d',
        'coder = "ollama": it is "ollama", expected one of claude, codex, agy, opencode, gemini, shell',
        'model = "x": the model of that coder',
      ],
    })
  })

  test('a value in the place of a table is named, and the table takes its place', () => {
    expect(converted({ max_attempt_minutes: 5, timeouts: [] })).toEqual({ timeouts: { wall: '5m' } })
    expect(converted({ max_attempt_minutes: 5e-324, timeouts: 'x' })).toEqual({})
    expect(convertPythonSettings({ max_attempt_minutes: 5, timeouts: 'x' }, [])).toMatchObject({
      kept: [],
      refused: ['timeouts = "x": it is "x", expected a table [timeouts]'],
    })
  })

  test('a setting that the file already has in its new form wins', () => {
    expect(converted({ retry_limit: 9, max_attempts: 2 })).toEqual({ max_attempts: 2 })
  })

  test('whatever the file has, the result is a valid configuration', () => {
    const value = fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.constant([]), fc.constant({}), fc.double())
    const file = fc.dictionary(fc.constantFrom(...Object.keys(PYTHON), 'retry_limit', 'x', 'timeouts'), value)
    fc.assert(fc.property(file, (given) => 'config' in check(converted(given))))
  })
})
