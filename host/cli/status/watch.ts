import { messageOf } from '../../base/error.ts'
import { onStopSignal } from '../progress/stop-signals.ts'
import type { NodeAddresses } from './consensus-client.ts'
import { Samples, takeSample } from './sample.ts'
import { renderLine, renderPage, renderRecord } from './watch-page.ts'

export interface WatchOptions {
  /** Where the node answers, which another one may do elsewhere after a restart. */
  readonly addresses: () => NodeAddresses
  readonly intervalMs: number
  /** True for a JSON object a line, on a terminal too. */
  readonly asJson: boolean
}

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
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/**
 * Shows how a node is until it is asked to end. A node that does not answer at first ends it; one that stops
 * answering later is waited for.
 * @throws NODE_UNREACHABLE
 */
export async function watch({ addresses, intervalMs, asJson }: WatchOptions): Promise<void> {
  const samples = new Samples()
  samples.add(await takeSample(addresses()))
  const isPage = process.stdout.isTTY === true && !asJson
  let trouble: string | undefined
  const show = (): void => {
    const { latest, rates } = samples
    if (latest === undefined) return
    if (isPage) {
      draw(renderPage(latest, rates, trouble))
      return
    }
    const record = trouble === undefined ? renderRecord(latest, rates) : { trouble }
    process.stdout.write(`${asJson ? JSON.stringify(record) : renderLine(record)}\n`)
  }
  const { asked, release } = untilAsked()
  if (isPage) process.stdout.on('resize', show).write(ENTER)
  try {
    show()
    while (!asked.aborted) {
      await pause(intervalMs, asked)
      if (asked.aborted) break
      try {
        samples.add(await takeSample(addresses()))
        trouble = undefined
      } catch (thrown) {
        trouble = messageOf(thrown)
      }
      show()
    }
  } finally {
    if (isPage) process.stdout.off('resize', show).write(LEAVE)
    release()
  }
}
