/**
 * The value that an agent gets in place of one with a secret in it, where it could not work without the variable; undefined:
 * it does without.
 */
export function withoutLogin(name: string, value: string): string | undefined {
  if (PROXY.test(name)) return value.replace(LOGIN, '$1')
  // Git refuses to run if one of GIT_CONFIG_COUNT settings is missing.
  if (GIT_KEY.test(name)) return 'fleet.withheld'
  return GIT_VALUE.test(name) ? '' : undefined
}

/** http_proxy, ALL_PROXY, npm_config_https_proxy: without one there may be no way out of this network. */
const PROXY = /(?:^|_)PROXY$/i
/** User and password of a URL. A password may contain a slash or an at sign. */
const LOGIN = /^([a-z][a-z0-9+.-]*:\/\/)?\S*@/i
const GIT_KEY = /^GIT_CONFIG_KEY_\d+$/
const GIT_VALUE = /^GIT_CONFIG_VALUE_\d+$/
