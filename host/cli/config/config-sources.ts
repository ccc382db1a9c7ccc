import type { ConfigSources } from '../../base/config/load.ts'
import type { Home } from '../../node/home/home.ts'
import { chooseHome, requireHome } from '../option/home-option.ts'

/** Returns the home that a flag names, with the sources of its keys. @throws HOME_MISSING */
export function sourcesOf(
  flag: string | undefined,
  flags: ReadonlyMap<string, string>,
): { readonly home: Home; readonly sources: ConfigSources } {
  const home = chooseHome(flag)
  requireHome(home)
  return {
    home,
    sources: { directory: home.config.directory, environment: process.env, flags },
  }
}
