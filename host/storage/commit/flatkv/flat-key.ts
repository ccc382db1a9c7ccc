import { LockstepError } from '../../../base/error.ts'
import { formatData } from '../../../base/hex.ts'
import { type DatabaseName, KEY_PREFIXES } from './flatkv.ts'

const MODULE = 'evm'
const SLASH = 0x2f

/** Position of a FlatKV row: its database, and its key there. */
export interface FlatPosition {
  readonly database: DatabaseName
  readonly key: Uint8Array
}

/** The databases whose keys have a type byte, with the length of what follows it. */
const TYPED: readonly (readonly [DatabaseName, number])[] = [
  ['account', 20],
  ['code', 20],
  ['storage', 52],
]

/** Returns FlatKV's physical key of a row: module, type byte and key. */
export function physicalKey(database: DatabaseName, key: Uint8Array): Uint8Array {
  const prefix = KEY_PREFIXES[database]
  const physical = new Uint8Array(prefix.length + key.length)
  physical.set(prefix)
  physical.set(key, prefix.length)
  return physical
}

/**
 * Returns the position of the row of a physical key. A type byte counts only before a key of its length; all other
 * keys belong to `misc`, as upstream routes them.
 * @throws SNAPSHOT_INVALID if there is no module, no key, or a module other than the EVM's.
 */
export function flatPosition(physical: Uint8Array): FlatPosition {
  const slash = physical.indexOf(SLASH)
  if (slash <= 0) throw invalid('flatkv: empty module name in physical key', physical)
  if (slash === physical.length - 1) {
    throw invalid('flatkv: empty inner key in physical key', physical)
  }
  const module = Buffer.from(physical.subarray(0, slash)).toString('latin1')
  if (module !== MODULE) {
    throw invalid(`flatkv: module ${JSON.stringify(module)} is not ${MODULE}`, physical)
  }
  for (const [database, length] of TYPED) {
    const prefix = KEY_PREFIXES[database]
    if (physical.length !== prefix.length + length) continue
    if (physical[slash + 1] === prefix[slash + 1]) {
      return { database, key: physical.subarray(prefix.length) }
    }
  }
  return { database: 'misc', key: physical.subarray(slash + 1) }
}

function invalid(rule: string, physical: Uint8Array): LockstepError {
  return new LockstepError('SNAPSHOT_INVALID', `${rule} ${formatData(physical)}`)
}
