import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const cache = fileURLToPath(new URL('../../../build/test/', import.meta.url))

interface Failures {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
}

/**
 * Returns solc's output for `input`, both standard JSON as text. The output is kept in build/test by the compiler's
 * version and the whole input, because loading the compiler takes a second of every process.
 * @throws Error with the compiler's own text.
 */
export function solcOutput(input: string): string {
  const { version } = require('solc/package.json') as { version: string }
  const name = createHash('sha256').update(version).update(input).digest('hex').slice(0, 16)
  const file = `${cache}solc-${name}.json`
  const cached = readIfPresent(file)
  if (cached !== undefined) return cached
  const output = compileOnce(input)
  mkdirSync(cache, { recursive: true })
  // Another worker may write the same file: rename is atomic.
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, output)
  renameSync(draft, file)
  return output
}

/**
 * Returns solc's output for `input` and keeps nothing, for sources that are drawn at random.
 * @throws Error with the compiler's own text.
 */
export function compileOnce(input: string): string {
  const output = loadSolc().compile(input)
  const { errors } = JSON.parse(output) as Failures
  const failure = errors?.find(({ severity }) => severity === 'error')
  if (failure !== undefined) throw new Error(failure.formattedMessage)
  return output
}

/** solc ends the process on an unhandled rejection, which is for the runner of the tests to report. */
function loadSolc(): { compile(input: string): string } {
  const before = process.listeners('unhandledRejection')
  const solc = require('solc') as { compile(input: string): string }
  for (const listener of process.listeners('unhandledRejection')) {
    if (!before.includes(listener)) process.off('unhandledRejection', listener)
  }
  return solc
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
