import { invalidFile, readPrivate } from './private-file.ts'

/** Characters of RFC 6750, 2.1; long enough not to be guessed. */
const TOKEN = /^[\w.~+/-]{32,256}=*$/

/**
 * Reads the callers' tokens from a file: one per line; lines that begin with # are comments.
 * @throws CONFIG_INVALID; no message contains a token
 */
export async function readFacilitatorTokens(path: string): Promise<readonly string[]> {
  const hint = 'write one token per line, such as the output of `openssl rand -hex 32`'
  const file = { path, what: 'the token list of the facilitator', hint }
  const tokens: string[] = []
  for (const [index, line] of (await readPrivate(file)).split('\n').entries()) {
    const text = line.trim()
    if (text === '' || text.startsWith('#')) continue
    if (!TOKEN.test(text)) {
      const problem = `has no valid token in line ${index + 1}: 32 to 256 of A-Z a-z 0-9 - . _ ~ + /`
      throw invalidFile(file, problem, hint)
    }
    tokens.push(text)
  }
  if (tokens.length === 0) throw invalidFile(file, 'holds no token', hint)
  return tokens
}
