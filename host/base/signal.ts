/** Returns a signal for work that cannot be cancelled. */
export function neverAborted(): AbortSignal {
  return new AbortController().signal
}

/** Resolves when the signal aborts. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Settles as the promise does, or rejects if the signal aborts first; the operation itself is not cancelled. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(signal.reason)
    if (signal.aborted) ended()
    signal.addEventListener('abort', ended, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', ended))
  })
}
