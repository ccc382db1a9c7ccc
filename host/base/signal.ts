/** Returns a signal for work that cannot be cancelled. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal
}
