const ENTER = ['\r', '\n']
const INTERRUPT = '\u0003'
const END = '\u0004'
const ERASE = ['\u007f', '\b']
const ERASE_LINE = '\u0015'

/**
 * A line typed at the terminal, which does not show it. Ctrl-C ends the process as it does everywhere; Ctrl-D
 * ends the line.
 */
export async function askHidden(question: string): Promise<string> {
  const { stdin, stderr } = process
  // Before the question: whoever answers it at once would see the answer.
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

/** In the raw mode the terminal makes no signal of Ctrl-C. */
async function interrupt(): Promise<never> {
  process.stdin.setRawMode(false)
  process.stderr.write('\n')
  process.kill(process.pid, 'SIGINT')
  return await new Promise<never>(() => {})
}

/** All of the standard input, where it is no terminal. */
export async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
