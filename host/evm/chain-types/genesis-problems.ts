import { LockstepError } from '../../base/error.ts'
import { lookup } from '../../base/lookup.ts'
import { decodeGenesis, encodeGenesis } from './genesis-codec.ts'
import { parseGenesis } from './genesis-json.ts'
import { presetGenesis } from './genesis-presets.ts'

/** A genesis.json value that breaks a rule. */
export interface GenesisProblem {
  /** JSON path; empty for the whole document. */
  readonly path: string
  readonly message: string
}

/** Upper bound on reported problems. */
const MOST_PROBLEMS = 100

type Step = string | number

function stepsOf(path: string): Step[] {
  const steps = path.matchAll(/\["([^"]*)"\]|\[(\d+)\]|\.?([^.[\]]+)/g)
  return Array.from(steps, ([, quoted, index, name]) =>
    index === undefined ? (quoted ?? name ?? '') : Number(index),
  )
}

type Parent = Record<Step, unknown>

/** Returns the object or array that holds the last step; undefined if the path does not exist. */
function parentOf(document: unknown, steps: readonly Step[]): Parent | undefined {
  let at = document
  for (const step of steps.slice(0, -1)) {
    if (typeof at !== 'object' || at === null) return undefined
    at = lookup(at as Parent, String(step))
  }
  return typeof at === 'object' && at !== null ? (at as Parent) : undefined
}

function valueAt(document: unknown, steps: readonly Step[]): unknown {
  return lookup(parentOf(document, steps) ?? {}, String(steps.at(-1) ?? ''))
}

function remove(document: unknown, steps: readonly Step[]): void {
  const parent = parentOf(document, steps)
  const last = steps.at(-1) ?? ''
  if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else if (parent !== undefined) delete parent[last]
}

/**
 * Returns every value of a genesis.json that breaks a rule. It corrects each invalid value in a copy and reads the
 * copy again. If several values break a rule together, the problem names the first.
 */
export function genesisProblems(text: string): readonly GenesisProblem[] {
  const sound: unknown = JSON.parse(
    encodeGenesis(presetGenesis('1329', { time: 0n, validators: [] })),
  )
  const problems: GenesisProblem[] = []
  const tried = new Map<string, number>()
  let current = text
  let document: unknown
  while (problems.length < MOST_PROBLEMS) {
    let problem: LockstepError
    try {
      decodeGenesis(current)
      return problems
    } catch (thrown) {
      if (!(thrown instanceof LockstepError)) throw thrown
      problem = thrown
    }
    const path = String(problem.data.path ?? '')
    const steps = stepsOf(path)
    const times = (tried.get(path) ?? 0) + 1
    tried.set(path, times)
    if (times === 1) problems.push({ path, message: problem.message })
    // Neither the valid value nor an absent one is accepted.
    if (path === 'the document' || steps.length === 0 || times > 3) return problems
    document ??= JSON.parse(JSON.stringify(parseGenesis(text)))
    const instead = valueAt(sound, steps)
    const parent = parentOf(document, steps)
    if (times === 1 && instead !== undefined && parent !== undefined) {
      parent[steps.at(-1) ?? ''] = structuredClone(instead)
    } else remove(document, times === 3 ? steps.slice(0, -1) : steps)
    current = JSON.stringify(document)
  }
  return problems
}
