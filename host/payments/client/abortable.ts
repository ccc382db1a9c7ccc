/** Settles as the promise does, or rejects if the signal aborts first; the operation itself is not cancelled. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(signal.reason)
    if (signal.aborted) ended()
    signal.addEventListener('abort', ended, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', ended))
  })
}
