const ENTER = ['\r', '\n']
const INTERRUPT = '\u0003'
const END = '\u0004'
const ERASE = ['\u007f', '\b']
const ERASE_LINE = '\u0015'

/** Reads a line typed at the terminal without showing it. Ctrl-C ends the process as usual; Ctrl-D ends the line. */
export async function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process
  // Before the question, so that an immediate answer is not shown.
  stdin.setRawMode(true)
  stderr.write(question)
  stdin.setEncoding('utf8')
  stdin.resume()
  let line: string[] = []
  try {
    for (;;) {
      const typed = await nextChunk()
      for (const character of typed) {
        if (ENTER.includes(character) || character === END) return line.join('')
        if (character === INTERRUPT) return await interrupt()
        if (ERASE.includes(character)) line.pop()
        else if (character === ERASE_LINE) line = []
        else line.push(character)
      }
    }
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
    stderr.write('\n')
  }
}

function nextChunk(): Promise<string> {
  return new Promise((resolve) => process.stdin.once('data', resolve))
}

/** In raw mode the terminal does not turn Ctrl-C into a signal. */
async function interrupt(): Promise<never> {
  process.stdin.setRawMode(false)
  process.stderr.write('\n')
  process.kill(process.pid, 'SIGINT')
  return await new Promise<never>(() => {})
}

/** Reads all of the standard input, if it is not a terminal. */
export async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
