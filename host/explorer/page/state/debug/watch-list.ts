import { LockstepError } from '../../../../base/error.ts'
import { parseWatch } from '../../decode/watch/watch-expression.ts'

/** Maximum expressions: each is evaluated at every step that is shown. */
export const MOST_WATCHED = 20

/** Returns the expressions of a link. */
export function watchedExpressions(text: string): readonly string[] {
  const all = text.split(';').map((one) => one.trim())
  return [...new Set(all)].filter((one) => one !== '').slice(0, MOST_WATCHED)
}

/**
 * Adds an expression to those of a link.
 * @throws INVALID_ARGUMENT if it cannot be parsed, or if there are too many
 */
export function withWatched(text: string, expression: string): string {
  const wanted = expression.trim()
  parseWatch(wanted)
  if (wanted.includes(';')) {
    throw new LockstepError('INVALID_ARGUMENT', 'an expression has no semicolon')
  }
  const all = watchedExpressions(text)
  if (all.length === MOST_WATCHED && !all.includes(wanted)) {
    throw new LockstepError('INVALID_ARGUMENT', `at most ${MOST_WATCHED} expressions are watched`)
  }
  return [...all, wanted].join(';')
}

export function withoutWatched(text: string, expression: string): string {
  return watchedExpressions(text)
    .filter((one) => one !== expression)
    .join(';')
}
