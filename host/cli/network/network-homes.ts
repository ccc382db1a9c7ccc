import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import { type Home, homeAt } from '../../node/home/home.ts'
import { configOf } from '../option/home-option.ts'

/** A node of a network with its home. */
export interface NetworkHome {
  /** Name of the folder. */
  readonly name: string
  readonly mode: 'validator' | 'full'
  readonly home: Home
}

/** validator-2 before validator-10. */
const BY_NAME = new Intl.Collator('en', { numeric: true })

/**
 * Returns the homes in a folder, validators first.
 * @throws HOME_MISSING if there are none; CONFIG_INVALID
 */
export function findHomes(folder: string): readonly NetworkHome[] {
  const root = resolve(folder)
  const names = existsSync(root) ? readdirSync(root) : []
  const homes = names
    .map((name) => ({ name, home: homeAt(join(root, name)) }))
    .filter(({ home }) => existsSync(home.config.consensus))
    .map(({ name, home }): NetworkHome => {
      return { name, home, mode: configOf(home).mode === 'validator' ? 'validator' : 'full' }
    })
  if (homes.length === 0) {
    throw new LockstepError('HOME_MISSING', `${root} contains no home of a node`, {
      hint: 'write the homes with `lockstep network init --out <dir>`, and name the same folder',
    })
  }
  const order = (a: NetworkHome, b: NetworkHome) =>
    Number(b.mode === 'validator') - Number(a.mode === 'validator') ||
    BY_NAME.compare(a.name, b.name)
  return homes.sort(order)
}
