import { existsSync } from 'node:fs'
import { Option } from 'commander'
import { loadConfig } from '../../base/config/load.ts'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'
import { defaultHome, type Home, homeAt } from '../../node/home/home.ts'

/** The `--home` flag, the same for every command. */
export function homeOption(): Option {
  return new Option(
    '--home <DIR>',
    'folder of the node (default: LOCKSTEP_HOME, else ~/.lockstep, and ~/.lockstep/dev with --dev)',
  )
}

/** Returns the home that the flag names, or the default. */
export function chooseHome(flag: string | undefined, dev = false): Home {
  return homeAt(flag ?? defaultHome(process.env, dev))
}

/** @throws HOME_MISSING if the folder is not the home of a node. */
export function requireHome({ root, config }: Home): void {
  if (existsSync(config.directory)) return
  throw new LockstepError('HOME_MISSING', `${root} is not the home of a node`)
}

/** Returns the configuration from the files of a home, the environment and flags. @throws CONFIG_INVALID */
export function configOf(
  { config: { directory } }: Home,
  flags: ReadonlyMap<string, string> = new Map(),
): Config {
  return loadConfig({ directory, environment: process.env, flags }).config
}
