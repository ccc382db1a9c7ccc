/** Longer lines are not log lines. */
const MOST_LINE_CHARACTERS = 65_536

/** Splits a stream into lines. */
export function eachLine(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = (lines.pop() ?? '').slice(0, MOST_LINE_CHARACTERS)
    for (const line of lines) take(line.slice(0, MOST_LINE_CHARACTERS))
  })
  stream.on('end', () => {
    if (rest !== '') take(rest)
  })
  stream.on('error', () => {})
}
