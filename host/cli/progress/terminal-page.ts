import { startTimer, stopTimer } from '../../base/timer.ts'
import { onStopSignal } from './stop-signals.ts'

/** A page of its own on the terminal, without the cursor; the lines before it come back at the end. */
const ENTER = '\x1b[?1049h\x1b[?25l'
const LEAVE = '\x1b[?25h\x1b[?1049l'
const HOME = '\x1b[H'
const END_OF_LINE = '\x1b[K'
const END_OF_PAGE = '\x1b[J'

/** q, and Ctrl-C where the terminal gives each key as it is typed. */
const ENDING_KEYS = ['q', 'Q', '\x03']

/** Writes over what is there without clearing it first: nothing flickers. */
function draw(lines: readonly string[]): void {
  // A terminal that nobody has told its size says 0.
  const columns = process.stdout.columns || 80
  const rows = process.stdout.rows || 24
  const shown = lines.slice(0, rows).map((line) => line.slice(0, columns))
  const last = shown.length - 1
  // The rest is cleared before a line is written: after one of full width, the cursor stands on its last character.
  const drawn = shown.map((line, i) => (i < last ? END_OF_LINE : END_OF_PAGE) + line)
  process.stdout.write(HOME + drawn.join('\r\n'))
}

/** Resolves when somebody asks for the end: a signal, or q and Ctrl-C on the keyboard. */
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
  // Whoever read the lines is gone.
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

/** What is shown again and again. */
export interface LiveView {
  readonly intervalMs: number
  /** False for lines on a terminal too. */
  readonly isPage: boolean
  /** Lines of the page as it is now. */
  page(): readonly string[]
  /** The same as a line, for logs and programs. */
  line(): string
  /** Brings what is shown up to date. What it throws ends the view. */
  refresh(): Promise<void>
}

/** Shows a view until it is asked to end: a page on a terminal, which is redrawn, and elsewhere a line a time. */
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
