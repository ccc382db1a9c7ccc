import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Home, homeAt } from '../../node/home/home.ts'
import { chooseHome } from '../option/home-option.ts'

/** The home of a started node. */
export interface StartHome {
  readonly home: Home
  /** Removes a home created only for this run. */
  readonly leave: () => void
}

/**
 * Returns the named home, or the default. An unnamed fork, and a run that asks for it, gets a new one, which is removed
 * after the run.
 */
export function startHome(
  flags: { readonly home?: string; readonly dev?: true; readonly isTemporary?: true },
  passed: ReadonlyMap<string, string>,
): StartHome {
  const named = flags.home ?? process.env.LOCKSTEP_HOME
  const fork = passed.get('dev.fork') ?? process.env.LOCKSTEP_DEV_FORK ?? ''
  const isNamed = named !== undefined && named !== ''
  const isLasting = flags.dev === undefined || fork === '' || isNamed
  if (isLasting && flags.isTemporary === undefined)
    return { home: chooseHome(flags.home, flags.dev), leave: () => {} }
  const root = mkdtempSync(join(tmpdir(), 'lockstep-dev-'))
  return { home: homeAt(root), leave: () => rmSync(root, { recursive: true, force: true }) }
}
