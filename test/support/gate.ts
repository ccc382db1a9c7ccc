/** A promise that the test settles. */
export interface Gate<Value = void> {
  readonly opened: Promise<Value>
  open(value: Value): void
  fail(error: unknown): void
}

export function makeGate<Value = void>(): Gate<Value> {
  let open: (value: Value) => void = () => undefined
  let fail: (error: unknown) => void = () => undefined
  const opened = new Promise<Value>((resolve, reject) => {
    open = resolve
    fail = reject
  })
  // Prevents an unhandled rejection if it fails before a caller awaits it.
  opened.catch(() => undefined)
  return { opened, open, fail }
}
