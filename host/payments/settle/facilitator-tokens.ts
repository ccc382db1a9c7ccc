import { invalidFile, readPrivate } from './private-file.ts'

/** Characters of RFC 6750, 2.1, as many as cannot be guessed. */
const TOKEN = /^[\w.~+/-]{32,256}=*$/

/**
 * The tokens of a facilitator's callers from their file: one a line; lines that begin with # are comments.
 * @throws CONFIG_INVALID; no text holds a token
 */
export async function readFacilitatorTokens(path: string): Promise<readonly string[]> {
  const hint = 'write a token a line, such as `openssl rand -hex 32` makes'
  const file = { path, what: 'the list of tokens of the facilitator', hint }
  const tokens: string[] = []
  for (const [index, line] of (await readPrivate(file)).split('\n').entries()) {
    const text = line.trim()
    if (text === '' || text.startsWith('#')) continue
    if (!TOKEN.test(text)) {
      const problem = `has no token in line ${index + 1}: 32 to 256 of A-Z a-z 0-9 - . _ ~ + /`
      throw invalidFile(file, problem, hint)
    }
    tokens.push(text)
  }
  if (tokens.length === 0) throw invalidFile(file, 'holds no token', hint)
  return tokens
}
