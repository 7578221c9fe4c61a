import type { Flag } from '../../flags.ts'
import {
  DATE_FLAGS,
  EXCLUDE_LABEL_FLAG,
  LABEL_FLAGS,
  LABEL_PATTERN_FLAGS,
  METADATA_FLAGS,
  TEXT_FLAGS,
} from './filters.ts'

export const EXCLUDE_TYPE_FLAG: Flag = {
  name: 'exclude-type',
  kind: 'list',
  help: 'Exclude issue types from results (comma-separated or repeatable)',
}

export const MAX_ROWS_FLAG: Flag = {
  name: 'max-rows',
  kind: 'number',
  help: 'Refuse with exit 2 if more rows than this would be returned; 0 disables. Overrides BEADS_MAX_ROWS',
  default: '0',
}

export const SORT_FLAGS: readonly Flag[] = [
  {
    name: 'sort',
    kind: 'text',
    help: 'Sort by field: priority, created, updated, closed, status, id, title, type, assignee',
  },
  { name: 'reverse', short: 'r', kind: 'switch', help: 'Reverse sort order' },
]

export const PRIORITY_RANGE_FLAGS: readonly Flag[] = [
  { name: 'priority-min', kind: 'text', help: 'Filter by minimum priority (inclusive, 0-4 or P0-P4)' },
  { name: 'priority-max', kind: 'text', help: 'Filter by maximum priority (inclusive, 0-4 or P0-P4)' },
]

const scheduled = (name: string, what: string): Flag => ({
  name,
  kind: 'text',
  help: `Filter issues ${what} date (supports relative: +6h, tomorrow)`,
})

export const LIST_FLAGS: readonly Flag[] = [
  {
    name: 'status',
    short: 's',
    kind: 'text',
    aliases: ['state'],
    help: 'Filter by stored status (open, in_progress, blocked, deferred, closed, all). Comma-separated for several',
  },
  { name: 'priority', short: 'p', kind: 'text', help: 'Priority (0-4 or P0-P4, 0=highest)' },
  ...PRIORITY_RANGE_FLAGS,
  { name: 'assignee', short: 'a', kind: 'text', help: 'Filter by assignee' },
  {
    name: 'type',
    short: 't',
    kind: 'text',
    help: 'Filter by type (bug, feature, task, epic, chore, decision, …). Aliases: feat→feature, mol→molecule, dec/adr→decision',
  },
  EXCLUDE_TYPE_FLAG,
  ...LABEL_FLAGS,
  EXCLUDE_LABEL_FLAG,
  ...LABEL_PATTERN_FLAGS,
  { name: 'title-contains', kind: 'text', aliases: ['title'], help: 'Filter by title substring (case-insensitive)' },
  ...TEXT_FLAGS,
  { name: 'external-contains', kind: 'text', help: 'Filter by external ref substring (case-insensitive)' },
  { name: 'external-ref', kind: 'text', help: 'Filter by exact external_ref value' },
  { name: 'spec', kind: 'text', help: 'Filter by spec_id prefix' },
  { name: 'id', kind: 'text', help: 'Filter by specific issue IDs (comma-separated, e.g., fleet-a1b,fleet-c2d)' },
  ...DATE_FLAGS,
  scheduled('defer-after', 'deferred after'),
  scheduled('defer-before', 'deferred before'),
  scheduled('due-after', 'due after'),
  scheduled('due-before', 'due before'),
  { name: 'deferred', kind: 'switch', help: 'Show only issues with defer_until set' },
  { name: 'overdue', kind: 'switch', help: 'Show only issues with due_at in the past (not closed)' },
  ...METADATA_FLAGS,
  {
    name: 'parent',
    kind: 'text',
    aliases: ['filter-parent'],
    help: 'Filter by parent issue ID (shows children of specified issue)',
  },
  { name: 'no-parent', kind: 'switch', help: 'Exclude child issues (show only top-level issues)' },
  { name: 'pinned', kind: 'switch', help: 'Show only pinned issues' },
  { name: 'no-pinned', kind: 'switch', help: 'Exclude pinned issues' },
  { name: 'include-templates', kind: 'switch', help: 'Include template molecules in output' },
  { name: 'include-gates', kind: 'switch', help: 'Include gate issues in output (normally hidden)' },
  { name: 'include-infra', kind: 'switch', help: 'Include infrastructure issues (agent/role/message) in output' },
  { name: 'ready', kind: 'switch', help: 'Show only ready issues (no active blockers, same semantics as bd ready)' },
  { name: 'all', kind: 'switch', help: 'Show all issues including closed (overrides default filter)' },
  {
    name: 'limit',
    short: 'n',
    kind: 'number',
    help: 'Limit results (default 50 on a terminal, otherwise all; 0 for unlimited)',
  },
  MAX_ROWS_FLAG,
  ...SORT_FLAGS,
  {
    name: 'brief',
    kind: 'switch',
    help: 'Omit the free text (description, design, acceptance criteria, notes) from each row',
  },
  {
    name: 'skip-labels',
    kind: 'switch',
    help: 'Leave labels out of the output; cannot be combined with label filters',
  },
  { name: 'long', kind: 'switch', help: 'Show detailed multi-line output for each issue (with --flat)' },
  { name: 'tree', kind: 'switch', help: 'Hierarchical tree format (use --flat to disable)', default: 'true' },
  { name: 'flat', kind: 'switch', help: 'Disable tree format and use the flat list output' },
  { name: 'pretty', kind: 'switch', help: 'Display issues in a tree format with status/priority symbols' },
  { name: 'no-pager', kind: 'switch', help: 'Accepted; fleet never starts a pager', hidden: true },
]
