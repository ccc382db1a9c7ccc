/** What a call of somebody's SDK fails with; undefined where it does not. */
// biome-ignore lint/suspicious/noExplicitAny: errors of packages whose types are not here
export async function failure(promise: Promise<unknown>): Promise<any> {
  return promise.then(
    () => undefined,
    (error) => error,
  )
}
