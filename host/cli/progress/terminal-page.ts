import { startTimer, stopTimer } from '../../base/timer.ts'
import { onStopSignal } from './stop-signals.ts'

/** Switches to the alternate screen and hides the cursor; leaving restores the lines before. */
const ENTER = '\x1b[?1049h\x1b[?25l'
const LEAVE = '\x1b[?25h\x1b[?1049l'
const HOME = '\x1b[H'
const END_OF_LINE = '\x1b[K'
const END_OF_PAGE = '\x1b[J'

/** q, and Ctrl-C in raw mode. */
const ENDING_KEYS = ['q', 'Q', '\x03']

/** Overwrites the page without clearing it first, to avoid flicker. */
function draw(lines: readonly string[]): void {
  // A terminal without a known size reports 0.
  const columns = process.stdout.columns || 80
  const rows = process.stdout.rows || 24
  const shown = lines.slice(0, rows).map((line) => line.slice(0, columns))
  const last = shown.length - 1
  // Clears the rest before writing a line: after a full-width line the cursor is still on its last character.
  const drawn = shown.map((line, i) => (i < last ? END_OF_LINE : END_OF_PAGE) + line)
  process.stdout.write(HOME + drawn.join('\r\n'))
}

/** Resolves at a stop signal, or at q or Ctrl-C on the keyboard. */
function untilAsked(): { readonly asked: AbortSignal; release(): void } {
  const end = new AbortController()
  const stop = (): void => end.abort()
  const release = onStopSignal(stop)
  const { stdin } = process
  const onKey = (keys: Buffer): void => {
    if (ENDING_KEYS.some((key) => keys.includes(key))) stop()
  }
  const hasKeys = stdin.isTTY === true && process.stdout.isTTY === true
  if (hasKeys) stdin.setRawMode(true).on('data', onKey)
  // The reader of the output has exited.
  process.stdout.on('error', stop)
  return {
    asked: end.signal,
    release: () => {
      release()
      if (hasKeys) stdin.off('data', onKey).setRawMode(false).pause()
    },
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stopTimer(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = startTimer(end, milliseconds)
    signal.addEventListener('abort', end)
  })
}

/** A repeatedly refreshed view. */
export interface LiveView {
  readonly intervalMs: number
  /** False to print lines even on a terminal. */
  readonly isPage: boolean
  /** Returns the lines of the current page. */
  page(): readonly string[]
  /** Returns the same as one line, for logs and programs. */
  line(): string
  /** Updates the content. An error ends the view. */
  refresh(): Promise<void>
}

/** Shows a view until it is stopped: a redrawn page on a terminal, otherwise a line per refresh. */
export async function showUntilAsked(view: LiveView): Promise<void> {
  const isPage = process.stdout.isTTY === true && view.isPage
  const show = (): void => {
    if (isPage) draw(view.page())
    else process.stdout.write(`${view.line()}\n`)
  }
  const { asked, release } = untilAsked()
  if (isPage) process.stdout.on('resize', show).write(ENTER)
  try {
    show()
    while (!asked.aborted) {
      await pause(view.intervalMs, asked)
      if (asked.aborted) break
      await view.refresh()
      show()
    }
  } finally {
    if (isPage) process.stdout.off('resize', show).write(LEAVE)
    release()
  }
}
