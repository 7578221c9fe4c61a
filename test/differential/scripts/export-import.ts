import { type Script, step } from '../harness.ts'
import { tasks } from './dep.ts'

const PARSER = 'fleet names the line, and every wrong one at once'

export const scripts: readonly Script[] = [
  {
    name: 'an export carries every field, in order',
    steps: [
      step('import -', {
        stdin: tasks(
          {
            id: 'fleet-aaa',
            title: 'All <of> it & "more" \u2028 é 🎈',
            description: 'd',
            design: 'e',
            acceptance_criteria: 'f',
            notes: 'g',
            spec_id: 'h',
            status: 'closed',
            assignee: 'alice',
            estimated_minutes: 0,
            created_by: 'bob',
            started_at: '2026-03-01T11:00:00Z',
            closed_at: '2026-03-02T10:00:00Z',
            updated_at: '2026-03-02T10:00:00.5Z',
            close_reason: 'Done',
            closed_by_session: 's1',
            due_at: '2026-04-01T00:00:00Z',
            defer_until: '2026-03-15T00:00:00Z',
            external_ref: 'gh-9',
            source_system: 'x',
            metadata: { a: '<x>', b: 1, n: 1.5 },
            labels: ['b', 'a', 'a'],
            sender: 'z',
            pinned: true,
            compaction_level: 1,
            original_size: 10,
            await_type: 'timer',
            await_id: 'i',
            timeout: 5000000000,
            waiters: ['w1'],
            mol_type: 'swarm',
            work_type: 'mutex',
            event_kind: 'k',
            actor: 'ac',
            target: 'ta',
            payload: 'p',
            dependencies: [
              {
                issue_id: 'fleet-aaa',
                depends_on_id: 'fleet-bbb',
                type: 'blocks',
                created_at: '2026-03-01T10:00:00.7Z',
                created_by: 'bob',
              },
              { depends_on_id: 'external:web:login', type: 'tracks', metadata: '{}', thread_id: 'th' },
            ],
            comments: [
              { id: 7, issue_id: 'fleet-aaa', author: 'x', text: 'old', created_at: '2026-03-01T10:00:00Z' },
              { id: 'c-2', issue_id: 'fleet-aaa', author: 'y', text: 'new\nline', created_at: '2026-03-01T10:00:05Z' },
            ],
          },
          { id: 'fleet-bbb', title: 'Plain', priority: 0 },
          { id: 'fleet-ccc', title: 'Template', is_template: true },
          { id: 'fleet-ddd', title: 'Old wisp', wisp: true },
          { id: 'fleet-fff', title: 'test-pollution' },
          { id: 'fleet-ggg', title: 'Somebody’s', created_by: 'mallory' },
        ),
      }),
      step('export'),
      step('export --all'),
      step('export --include-infra --scrub'),
      step('export --exclude-owner mallory --exclude-owner bob'),
      step('export -o out.jsonl'),
      step('import out.jsonl', { differs: 'bd compares the spelling of the metadata, not what it says' }),
      step('export -o out.jsonl --verbose --exclude-owner mallory --json'),
      step('export --include-memories'),
      step('export -o nowhere/out.jsonl', { differs: 'bd names its temporary file' }),
    ],
  },
  {
    name: 'an import brings up to date what is older, and leaves the rest',
    steps: [
      step('import -', { stdin: tasks({ id: 'fleet-aaa', title: 'A', notes: 'n' }, { id: 'fleet-bbb', title: 'B' }) }),
      step('import newer.jsonl --dry-run', {
        files: {
          'newer.jsonl': [
            '{"id":"fleet-aaa","title":"A2","priority":3,"status":"in_progress","created_at":"2026-03-01T10:00:00Z","updated_at":"2026-03-05T10:00:00Z"}',
            '{"id":"fleet-bbb","title":"older","priority":2,"updated_at":"2025-03-05T10:00:00Z"}',
            '{"id":"fleet-ccc","title":"new","priority":2,"updated_at":"2025-03-05T10:00:00Z","created_at":"2025-03-05T10:00:00Z"}',
          ].join('\n'),
        },
      }),
      step('import newer.jsonl --dry-run --json'),
      step('import newer.jsonl'),
      step('import newer.jsonl --json'),
      step('export'),
      step('import -', {
        stdin: '{"id":"fleet-bbb","title":"tie","priority":2,"updated_at":"2026-03-01T10:00:01Z","labels":["x"]}',
      }),
      step('import - --json', {
        stdin: '{"id":"fleet-bbb","title":"tie","priority":2,"updated_at":"2026-03-01T10:00:01Z"}',
      }),
      step('import - --dedup', { stdin: '{"id":"fleet-ddd","title":"NEW"}\n{"id":"fleet-aaa","title":"a2"}' }),
      step('import - --dedup --json --dry-run', { stdin: '{"id":"fleet-ddd","title":"NEW"}' }),
      step('import - --json', {
        stdin: '{"_schema":"beads-jsonl/1"}\n{"id":"fleet-t","title":"t","status":"tombstone"}\n',
      }),
      step('import - --allow-stale', {
        stdin: '{"id":"fleet-bbb","title":"restored","priority":2,"updated_at":"2025-01-01T00:00:00Z"}',
        differs: 'fleet also says what it overwrote',
      }),
      step('export'),
    ],
  },
  {
    name: 'edges that cannot be are left out and reported',
    steps: [
      step('import -', {
        stdin: tasks(
          {
            id: 'fleet-aaa',
            title: 'A',
            dependencies: [
              { depends_on_id: 'fleet-zzz', type: 'blocks' },
              { depends_on_id: 'fleet-aaa', type: 'blocks' },
              { depends_on_id: 'fleet-bbb', type: 'blocks', created_at: '2026-03-01T10:00:00Z', created_by: 'x' },
              { depends_on_id: 'other-1', type: 'blocks', created_at: '2026-03-01T10:00:00Z', created_by: 'x' },
            ],
          },
          { id: 'fleet-bbb', title: 'B' },
        ),
      }),
      step('dep list fleet-aaa'),
      step('import -', {
        stdin: tasks(
          { id: 'fleet-ccc', title: 'C', dependencies: [{ depends_on_id: 'fleet-ddd', type: 'blocks' }] },
          { id: 'fleet-ddd', title: 'D', dependencies: [{ depends_on_id: 'fleet-ccc', type: 'blocks' }] },
        ),
        differs: 'fleet shows the cycle',
      }),
      step('export'),
    ],
  },
  {
    name: 'what is wrong in a file stops the whole import',
    steps: [
      step('import -', { stdin: '{"id":"fleet-aaa","title":"good"}\nbad', differs: PARSER }),
      step('import - --json', { stdin: '[1]', differs: PARSER }),
      step('import -', { stdin: '{"id":"fleet-aaa"}', differs: PARSER }),
      step('import -', {
        stdin: '{"id":"fleet-aaa","title":"good"}\n{"id":"fleet-bbb","title":"x","priority":9}',
        differs: PARSER,
      }),
      step('import -', { stdin: '{"id":"fleet-aaa","title":"x","priority":"1"}', differs: PARSER }),
      step('import -', { stdin: '{"id":"fleet-aaa","title":"x","created_at":"yesterday"}', differs: PARSER }),
      step('import -', { stdin: '{"id":"fleet-aaa","title":"x","labels":"x"}', differs: PARSER }),
      step('import -', { stdin: '{"id":"fleet-aaa","title":"x","closed_at":"2026-01-01T00:00:00Z"}', differs: PARSER }),
      step('import missing.jsonl'),
      step('import empty.jsonl', { files: { 'empty.jsonl': '' } }),
      step('import empty.jsonl --json'),
      step('import -i empty.jsonl empty.jsonl'),
      step('import', { differs: 'fleet has no default file' }),
      step('export'),
    ],
  },
]
