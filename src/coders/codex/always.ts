/** An unknown setting is a warning; an unknown feature flag would be an error. */
export const ALWAYS = [
  // A login shell sets its own PATH, without the fleet command.
  '--config=allow_login_shell=false',
  // fleet cannot see sub-agents, and they cost money: create tasks instead. The second is for models that insist on them.
  '--config=features.multi_agent=false',
  '--config=features.multi_agent_v2.max_concurrent_threads_per_session=1',
  // Without a network it would retry for ever and hold its slot; a lane waits without one.
  '--config=features.unbounded_connection_retries=false',
  '--config=analytics.enabled=false',
]
