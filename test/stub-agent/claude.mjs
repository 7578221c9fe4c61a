/**
 * What claude prints, as steps of the stub:
 *
 *   {"claude": "init"}                       "model", "version", "apiKeySource" where others are wanted
 *   {"claude": "text", "text": text}         "usage": {input, cacheWrite, cacheRead, output} of its message
 *   {"claude": "tool", "name": "Bash", "input": {…}, "result": text}
 *                                            "error": true for a failed one; "do": steps while it is open;
 *                                            "open": true leaves it without a result
 *   {"claude": "subagent", "what": text, "do": steps}   a sub-agent; what claude prints meanwhile is its own.
 *                                            "counts": N where claude itself counts its tool calls in the end
 *   {"claude": "result", "text": text}       the end of a turn, with the totals so far; "fields": {…} over its own;
 *                                            "blocked": steps that it does if a Stop hook makes it go on
 *   {"claude": "limit", "resetsAt": seconds} the limit of a subscription: event, message and result; exit 1 comes after
 *   {"claude": "error", "status": 529, "error": "overloaded", "text": text}   a failed request; exit 1 comes after
 *   {"claude": "retry", "status": 529, "error": "overloaded", "attempt": 1}
 *
 * It calls the hooks of its --settings: words of a hook before a tool stand at the end of what the tool printed, and a
 * refused tool does none of its steps.
 *
 * The session is what --session-id or --resume say, the model what --model says.
 */
import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { text as textOf } from 'node:stream/consumers'

const state = {
  parent: null,
  session: '',
  model: '',
  messages: 0,
  turns: 0,
  results: 0,
  usage: { in: 0, write: 0, read: 0, out: 0 },
}

export async function claude(what, step, { argv, emit, perform, expand }) {
  const flag = (name) => {
    const at = argv.findIndex((each) => each === name || each.startsWith(`${name}=`))
    return argv[at] === name ? argv[at + 1] : argv[at]?.slice(name.length + 1)
  }
  state.session ||= flag('--session-id') ?? flag('--resume') ?? randomUUID()
  state.model ||= step.model ?? flag('--model') ?? 'claude-sonnet-5-5'
  const mine = (event) => emit({ ...event, session_id: state.session, uuid: randomUUID() })
  const settings = JSON.parse(flag('--settings') ?? '{}')
  const hook = async (event, call) => await called(settings.hooks?.[event], { hook_event_name: event, ...call })
  await SAYS[what](step, { mine, perform, expand, hook })
}

const SAYS = {
  init: ({ model = state.model, version = '2.1.325', apiKeySource = 'none' }, { mine }) => {
    state.model = model
    mine({
      type: 'system',
      subtype: 'init',
      cwd: process.cwd(),
      tools: ['Bash', 'Edit', 'Read', 'Write'],
      mcp_servers: [],
      model,
      permissionMode: 'bypassPermissions',
      slash_commands: [],
      apiKeySource,
      claude_code_version: version,
      output_style: 'default',
      agents: [],
      skills: [],
      plugins: [],
    })
  },
  text: ({ text = '', usage }, { mine }) => {
    mine(assistant([{ type: 'text', text }], newMessage(usage)))
  },
  tool: async (
    { name = 'Bash', input = {}, result = '', error = false, usage, open = false, do: steps = [] },
    tools,
  ) => {
    const id = `toolu_${randomUUID().replaceAll('-', '').slice(0, 20)}`
    // As the real one does: its tools for files name the file.
    const written = name === 'Write' ? steps.find(({ write }) => write !== undefined)?.write : undefined
    const named = written === undefined ? input : { file_path: written, ...input }
    const told = Object.entries(named).map(([key, value]) => [
      key,
      typeof value === 'string' ? tools.expand(value) : value,
    ])
    tools.mine(assistant([{ type: 'tool_use', id, name, input: Object.fromEntries(told) }], newMessage(usage)))
    const { hookSpecificOutput: said } = await tools.hook('PreToolUse', {
      tool_name: name,
      tool_input: Object.fromEntries(told),
      tool_use_id: id,
      cwd: process.cwd(),
    })
    const isRefused = said?.permissionDecision === 'deny'
    if (!isRefused) await tools.perform(steps)
    if (open && !isRefused) return
    const printed = [isRefused ? said.permissionDecisionReason : result, said?.additionalContext].filter(Boolean)
    const content = [
      { tool_use_id: id, type: 'tool_result', content: printed.join('\n'), is_error: error || isRefused },
    ]
    tools.mine({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: state.parent, timestamp: now() })
  },
  subagent: async ({ what = 'sub', counts, do: steps = [] }, { mine, perform }) => {
    const id = `toolu_${randomUUID().replaceAll('-', '').slice(0, 20)}`
    const input = { description: what, prompt: what, subagent_type: 'general-purpose' }
    mine(assistant([{ type: 'tool_use', id, name: 'Agent', input }], newMessage()))
    const before = state.parent
    state.parent = id
    await perform(steps)
    state.parent = before
    const content = [{ tool_use_id: id, type: 'tool_result', content: 'it has ended', is_error: false }]
    mine({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: before, timestamp: now() })
    if (counts === undefined) return
    const usage = { total_tokens: 1, tool_uses: counts, duration_ms: 1 }
    mine({ type: 'system', subtype: 'task_notification', tool_use_id: id, status: 'completed', summary: what, usage })
  },
  result: async (step, tools) => {
    const { text = '', fields = {}, blocked = [] } = step
    const { decision, reason } = await tools.hook('Stop', { last_assistant_message: text })
    if (decision !== 'block') return tools.mine(result({ text, ...fields }))
    const message = { role: 'user', content: [{ type: 'text', text: `Stop hook feedback:\n${reason}` }] }
    tools.mine({ type: 'user', message, isSynthetic: true, parent_tool_use_id: null, timestamp: now() })
    await tools.perform(blocked)
    await SAYS.result(step, tools)
  },
  limit: ({ resetsAt }, { mine }) => {
    const text = "You've hit your 5-hour limit · resets 7:18pm (UTC)"
    const info = { status: 'rejected', resetsAt, rateLimitType: 'five_hour', overageStatus: 'rejected' }
    const windows = { five_hour: { utilization: 1, resetsAt, status: 'rejected' } }
    mine({ type: 'rate_limit_event', rate_limit_info: { ...info, unifiedWindows: windows } })
    const error = { api_error_status: 429, api_error_type: 'rate_limit_error', api_error: 'usage_limit_reached' }
    mine({ ...synthetic(text, 'rate_limit'), ...error, api_error_params: { rate_limit_info: info } })
    mine(result({ text, is_error: true, terminal_reason: 'api_error', ...error }))
  },
  error: ({ status = null, error = 'unknown', text = `API Error: ${status}` }, { mine }) => {
    mine({ ...synthetic(text, error), api_error_status: status })
    mine(result({ text, is_error: true, terminal_reason: 'api_error', api_error_status: status }))
  },
  retry: ({ status = 529, error = 'overloaded', attempt = 1 }, { mine }) =>
    mine({
      type: 'system',
      subtype: 'api_retry',
      attempt,
      max_retries: 10,
      retry_delay_ms: 600,
      error_status: status,
      error,
    }),
}

function newMessage({ input = 12, cacheWrite = 100, cacheRead = 14_000, output = 40 } = {}) {
  state.turns++
  state.messages++
  state.usage.in += input
  state.usage.write += cacheWrite
  state.usage.read += cacheRead
  state.usage.out += output
  // Like claude: the output tokens of a message are only known in the result.
  return {
    input_tokens: input,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: 1,
    service_tier: 'standard',
  }
}

function assistant(content, usage) {
  const id = `msg_${String(state.messages).padStart(20, '0')}`
  const message = { id, type: 'message', role: 'assistant', model: state.model, content, stop_reason: null, usage }
  return { type: 'assistant', message, parent_tool_use_id: state.parent, timestamp: now() }
}

function synthetic(text, error) {
  const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
  const message = {
    id: randomUUID(),
    model: '<synthetic>',
    role: 'assistant',
    stop_reason: 'stop_sequence',
    type: 'message',
    usage,
    content: [{ type: 'text', text }],
  }
  return { type: 'assistant', message, parent_tool_use_id: null, timestamp: now(), error, is_api_error_message: true }
}

function result({ text, ...fields }) {
  const { in: input, write, read, out } = state.usage
  const cost = (input * 3 + write * 3.75 + read * 0.3 + out * 15) / 1e6
  const model = {
    inputTokens: input,
    outputTokens: out,
    cacheReadInputTokens: read,
    cacheCreationInputTokens: write,
    webSearchRequests: 0,
    costUSD: cost,
    contextWindow: 200_000,
    maxOutputTokens: 64_000,
  }
  const modelUsage = out === 0 ? {} : { [state.model]: model }
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 100,
    duration_api_ms: 90,
    num_turns: Math.max(1, state.turns),
    result: text,
    stop_reason: 'end_turn',
    total_cost_usd: cost,
    usage: {
      input_tokens: input,
      cache_creation_input_tokens: write,
      cache_read_input_tokens: read,
      output_tokens: out,
      service_tier: 'standard',
    },
    modelUsage,
    permission_denials: [],
    terminal_reason: 'completed',
    api_error_status: null,
    queued_turn_count: 0,
    result_index: state.results++,
    model_usage_since_last_result: modelUsage,
    ...fields,
  }
}

function now() {
  return new Date().toISOString()
}

/**
 * The last answer of the hooks, as JSON. Like claude's: a status of 2 refuses the call with the words on stderr; any other
 * failing hook, or one that prints nothing, changes nothing.
 */
async function called(groups = [], call) {
  let answer = {}
  for (const { command } of groups.flatMap(({ hooks }) => hooks)) {
    const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'pipe'] })
    child.stdin.on('error', () => {}).end(JSON.stringify(call))
    const ended = new Promise((done) => child.on('close', done))
    const [printed, said, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), ended])
    process.stderr.write(said)
    if (code === 2) answer = { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: said } }
    if (code === 0 && printed.trim() !== '') answer = JSON.parse(printed)
  }
  return answer
}
