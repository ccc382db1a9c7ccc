/** The longest delay of timers in Node and browsers, 24.8 days. They fire a longer one at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

type Handle = ReturnType<typeof setTimeout> | number

/** The members of Node's handles that those of browsers lack. */
interface NodeHandle {
  unref(): unknown
  refresh(): unknown
}

const isOfNode = (handle: unknown): handle is NodeHandle => typeof handle === 'object'

/** A timer of any delay: longer ones are split into several platform timers. */
export class Timer {
  readonly #run: () => void
  readonly #milliseconds: number
  readonly #repeats: boolean
  #handle: Handle | undefined
  /** Milliseconds left after the current platform timer. */
  #rest = 0
  #isUnref = false

  /** @param milliseconds Infinity never fires; NaN or a negative number fires at once */
  constructor(run: () => void, milliseconds: number, repeats: boolean) {
    this.#run = run
    this.#milliseconds = Number.isNaN(milliseconds) ? 0 : milliseconds
    this.#repeats = repeats
    this.#begin()
  }

  /** Lets the process exit before the timer fires. Does nothing in a browser. */
  unref(): this {
    this.#isUnref = true
    if (isOfNode(this.#handle)) this.#handle.unref()
    return this
  }

  /** Restarts the whole delay, also after the timer has fired. Does nothing after it was stopped. */
  refresh(): void {
    if (this.#handle === undefined) return
    if (this.#milliseconds <= LONGEST_TIMER_MS && isOfNode(this.#handle)) {
      this.#handle.refresh()
      return
    }
    clearTimeout(this.#handle)
    this.#begin()
  }

  stop(): void {
    clearTimeout(this.#handle)
    this.#handle = undefined
  }

  #begin(): void {
    this.#rest = this.#milliseconds
    this.#next()
  }

  #next(): void {
    const leg = Math.min(this.#rest, LONGEST_TIMER_MS)
    this.#rest -= leg
    this.#handle = setTimeout(() => this.#elapsed(), leg)
    if (this.#isUnref && isOfNode(this.#handle)) this.#handle.unref()
  }

  #elapsed(): void {
    if (this.#rest > 0) {
      this.#next()
      return
    }
    // Armed first, because `run` may stop it.
    if (this.#repeats) this.#begin()
    this.#run()
  }
}

/** Calls `run` once, after any number of milliseconds. */
export function startTimer(run: () => void, milliseconds: number): Timer {
  return new Timer(run, milliseconds, false)
}

/** Calls `run` repeatedly, any number of milliseconds apart. */
export function startInterval(run: () => void, milliseconds: number): Timer {
  return new Timer(run, milliseconds, true)
}

export function stopTimer(timer: Timer | undefined): void {
  timer?.stop()
}

/**
 * Resolves after any number of milliseconds.
 * @throws the signal's reason, if it is aborted
 */
export function delay(
  milliseconds: number,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason)
      return
    }
    const end = () => {
      timer.stop()
      reject(signal?.reason)
    }
    const timer = startTimer(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', end, { once: true })
  })
}

/** Resolves after any number of milliseconds, or at the abort: the caller must check the signal. */
export function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return delay(milliseconds, { signal }).catch(() => undefined)
}

/** Returns a signal that aborts with a TimeoutError after any number of milliseconds. It keeps no process alive. */
export function timeoutSignal(milliseconds: number): AbortSignal {
  if (milliseconds <= LONGEST_TIMER_MS)
    return AbortSignal.timeout(Math.max(0, Math.ceil(milliseconds)))
  const controller = new AbortController()
  const expire = () =>
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  startTimer(expire, Number.isNaN(milliseconds) ? 0 : milliseconds).unref()
  return controller.signal
}
