/** For work that nobody ends. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal
}
