import { LockstepError } from '../../base/error.ts'

/** Returns the error for an invalid policy. `place` is the member, such as `rules[0].conditions[1].value`. */
export function ruleProblem(place: string, what: string, hint: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', `${place}: ${what}`, {
    hint,
    data: { member: place },
  })
}

/** Returns a foreign value shortened for an error message. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length <= 100 ? text : `${text.slice(0, 100)}...`
}
