import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** How a program ended. */
export interface Finished {
  readonly code: number
  readonly output: string
}

/** Returns the line of an output that says what went wrong. */
export function errorIn(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '')
  return lines.find((line) => /^(?:E:|npm error|ERROR)/.test(line)) ?? lines.at(-1) ?? 'no output'
}

/**
 * Runs an install once per state of its source files and per Node release.
 * @param sources files whose content it depends on, or other strings
 * @param target what it creates; if that is missing, the install runs again
 * @returns why it failed; undefined on success
 */
export async function once(
  root: string,
  name: string,
  { sources, target }: { sources: readonly string[]; target: string },
  install: () => Promise<Finished>,
): Promise<string | undefined> {
  const hash = createHash('sha256').update(`${process.version} ${process.arch}`)
  for (const source of sources) hash.update(existsSync(source) ? readFileSync(source) : source)
  const state = hash.digest('hex')
  const stamp = join(root, '.cache/peers', name)
  const isCurrent = existsSync(stamp) && readFileSync(stamp, 'utf8') === state && existsSync(target)
  if (isCurrent) return undefined
  const { code, output } = await install()
  if (code !== 0) return errorIn(output)
  mkdirSync(dirname(stamp), { recursive: true })
  writeFileSync(stamp, state)
  return undefined
}
