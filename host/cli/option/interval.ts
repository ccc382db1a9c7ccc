import { parseDuration } from '../../base/duration.ts'
import { LockstepError } from '../../base/error.ts'

/**
 * Milliseconds between two looks, by `--interval`: a node has better things to do than to answer more often.
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
