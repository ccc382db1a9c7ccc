/** What a promise gives, unless the signal is first: what is under way then goes on unseen. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const ended = () => reject(signal.reason)
    if (signal.aborted) ended()
    signal.addEventListener('abort', ended, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', ended))
  })
}
