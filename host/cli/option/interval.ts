import { parseDuration } from '../../base/duration.ts'
import { LockstepError } from '../../base/error.ts'

/**
 * Returns the milliseconds of `--interval`. The minimum limits the load on the node.
 * @throws INVALID_ARGUMENT
 */
export function parseInterval(text: string): number {
  const milliseconds = parseDuration(text)
  if (milliseconds !== undefined && milliseconds >= 100) return milliseconds
  throw new LockstepError(
    'INVALID_ARGUMENT',
    `--interval is ${text}, not a duration of 100ms or more`,
    { hint: 'write it as 1s or 500ms' },
  )
}
