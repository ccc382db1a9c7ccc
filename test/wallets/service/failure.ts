/** Returns the error of an SDK call, or undefined if it succeeds. */
// biome-ignore lint/suspicious/noExplicitAny: errors of packages whose types are not here
export async function failure(promise: Promise<unknown>): Promise<any> {
  return promise.then(
    () => undefined,
    (error) => error,
  )
}
