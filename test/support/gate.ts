/** A promise that the test settles. */
export interface Gate {
  readonly opened: Promise<void>
  open(): void
  fail(error: unknown): void
}

export function makeGate(): Gate {
  let open: () => void = () => undefined
  let fail: (error: unknown) => void = () => undefined
  const opened = new Promise<void>((resolve, reject) => {
    open = resolve
    fail = reject
  })
  // A failure that comes before anybody waits is heard by whoever does.
  opened.catch(() => undefined)
  return { opened, open, fail }
}
