import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Home, homeAt } from '../../node/home/home.ts'
import { chooseHome } from '../option/home-option.ts'

/** The home of a node that is started. */
export interface StartHome {
  readonly home: Home
  /** Removes a home that was made for this run alone. */
  readonly leave: () => void
}

/** The home that is named, or the default; for a fork without a name a new one, which goes with the run. */
export function startHome(
  flags: { readonly home?: string; readonly dev?: true },
  passed: ReadonlyMap<string, string>,
): StartHome {
  const named = flags.home ?? process.env.LOCKSTEP_HOME
  const fork = passed.get('dev.fork') ?? process.env.LOCKSTEP_DEV_FORK ?? ''
  const isLasting = flags.dev === undefined || fork === '' || (named !== undefined && named !== '')
  if (isLasting) return { home: chooseHome(flags.home, flags.dev), leave: () => {} }
  const root = mkdtempSync(join(tmpdir(), 'lockstep-fork-'))
  return { home: homeAt(root), leave: () => rmSync(root, { recursive: true, force: true }) }
}
