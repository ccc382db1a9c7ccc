/** A crash report has at least so many lines and so much time of the log, whichever is more. */
const LEAST_LINES = 1_000
const LEAST_MS = 15 * 60 * 1_000

/** Maximum bytes; a longer tail loses its beginning. */
const MOST_BYTES = 64 * 2 ** 20

/** The end of a log. */
export interface LogTail {
  readonly lines: readonly string[]
  /** Lines omitted because of the maximum size. */
  readonly cut: number
}

interface TimedLine {
  readonly text: string
  /** Time of the line, or of the last line before it with one; undefined if there is none. */
  readonly time: number | undefined
}

/** Returns the first RFC 3339 time in a line, plain or JSON. */
function timeOf(line: string): number | undefined {
  const stamp = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)/.exec(
    line.slice(0, 200),
  )?.[0]
  const time = stamp === undefined ? Number.NaN : Date.parse(stamp)
  return Number.isNaN(time) ? undefined : time
}

/** Reads all lines and keeps the tail. */
export async function readTail(lines: AsyncIterable<string> | Iterable<string>): Promise<LogTail> {
  const kept: TimedLine[] = []
  let first = 0
  let bytes = 0
  let cut = 0
  let newest: number | undefined
  const drop = (): void => {
    bytes -= kept[first]?.text.length ?? 0
    first++
    if (first < 10_000) return
    kept.splice(0, first)
    first = 0
  }
  for await (const text of lines) {
    newest = timeOf(text) ?? newest
    kept.push({ text, time: newest })
    bytes += text.length
    while (kept.length - first > LEAST_LINES) {
      const time = kept[first]?.time
      const isOld = time === undefined || newest === undefined || newest - time > LEAST_MS
      if (!isOld && bytes <= MOST_BYTES) break
      if (!isOld) cut++
      drop()
    }
  }
  return { lines: kept.slice(first).map(({ text }) => text), cut }
}
