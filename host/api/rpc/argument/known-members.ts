import { LockstepError } from '../../../base/error.ts'
import type { JsonArgument } from './parameter.ts'

/**
 * Returns the object under the names in `names`, whatever their case, as geth matches them.
 * @param what the object in geth's message
 * @throws INVALID_ARGUMENT for any other name, and if two names are the same but for their case
 */
export function knownMembers(
  object: JsonArgument,
  names: readonly string[],
  what: string,
): JsonArgument {
  const known = new Map<string, { readonly as: string; readonly value: unknown }>()
  for (const [as, value] of Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const name = names.find((one) => one.toLowerCase() === as.toLowerCase())
    if (name === undefined) {
      throw new LockstepError('INVALID_ARGUMENT', `unknown field ${JSON.stringify(as)} in ${what}`)
    }
    const before = known.get(name)
    if (before !== undefined) {
      const both = `${JSON.stringify(before.as)} and ${JSON.stringify(as)}`
      throw new LockstepError('INVALID_ARGUMENT', `keys ${both} in ${what} name the same field`)
    }
    known.set(name, { as, value })
  }
  return Object.fromEntries([...known].map(([name, { value }]) => [name, value]))
}
