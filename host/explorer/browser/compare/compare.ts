import type { SearchOptions, StepDigests, Stepper, StepRow } from '../step/stepper.ts'
import type { Both, Comparison, MachineDifference } from './comparison.ts'
import { compareAccounts, compareLogs, compareOutcomes } from './end-differences.ts'
import { compareFrames } from './frame-pairs.ts'

/** Steps whose digests are requested at once. */
const WINDOW = 1 << 16
/** Steps after a divergence within which the search looks for a point where the paths rejoin. */
const NEAR = 2048
/** Consecutive steps that must match there, unless a run ends before. */
const ALIKE = 4

/** Compares two runs of a transaction, such as the original and an edited one. */
export async function compareRuns(
  a: Stepper,
  b: Stepper,
  options: SearchOptions = {},
): Promise<Comparison> {
  const summaries = await Promise.all([a.summary(), b.summary()])
  const calls = await Promise.all([a.calls(), b.calls()])
  const { machine, gas, path } = await findFirst(a, b, options)
  const [first, second] = summaries.map(({ steps }) => steps) as [number, number]
  const parting =
    path === undefined
      ? undefined
      : ([path < first ? path : undefined, path < second ? path : undefined] as const)
  return {
    machine: machine === undefined ? undefined : await describeMachine(a, b, machine, options),
    path: parting,
    rejoin: path === undefined ? undefined : await findRejoin(a, b, path, options),
    gas,
    outcome: compareOutcomes(...summaries),
    frames: compareFrames(calls),
    accounts: compareAccounts(...summaries),
    logs: compareLogs(...calls),
  }
}

interface First {
  machine: number | undefined
  gas: number | undefined
  /** Both runs have the same step numbers before it. */
  path: number | undefined
}

/** Returns the first differing steps, window by window, until the paths diverge. */
async function findFirst(a: Stepper, b: Stepper, options: SearchOptions): Promise<First> {
  const found: First = { machine: undefined, gas: undefined, path: undefined }
  for (let from = 0; found.path === undefined; from += WINDOW) {
    const [one, other] = await Promise.all([
      a.digests(from, WINDOW, options),
      b.digests(from, WINDOW, options),
    ])
    const shared = Math.min(one.places.length, other.places.length)
    let at = 0
    for (; at < shared && one.places[at] === other.places[at]; at++)
      note(found, one, other, at, from)
    if (at < shared || one.places.length !== other.places.length) found.path = from + at
    else if (shared < WINDOW) break
  }
  return found
}

function note(found: First, one: StepDigests, other: StepDigests, at: number, from: number): void {
  if (found.machine === undefined && one.stacks[at] !== other.stacks[at]) found.machine = from + at
  if (found.gas === undefined && one.gas[at] !== other.gas[at]) found.gas = from + at
}

async function describeMachine(
  a: Stepper,
  b: Stepper,
  step: number,
  options: SearchOptions,
): Promise<MachineDifference> {
  const [one, other] = await Promise.all([a.step(step, options), b.step(step, options)])
  const height = Math.max(one.stack.length, other.stack.length)
  return {
    step,
    stack: Array.from({ length: height }, (_, place) => place).filter(
      (place) => one.stack[place] !== other.stack[place],
    ),
    stackHeight: [one.stack.length, other.stack.length],
    memorySize: [one.memory.length, other.memory.length],
  }
}

/** Returns the nearest steps after a divergence from which the runs follow the same path for a while. */
async function findRejoin(
  a: Stepper,
  b: Stepper,
  path: number,
  options: SearchOptions,
): Promise<Both<number> | undefined> {
  const [one, other] = await Promise.all([a.rows(path, NEAR, options), b.rows(path, NEAR, options)])
  const places = new Map<string, number[]>()
  for (const [at, row] of other.entries()) {
    const key = placeOf(row)
    const known = places.get(key)
    if (known === undefined) places.set(key, [at])
    else known.push(at)
  }
  let best: Both<number> | undefined
  for (const [at, row] of one.entries()) {
    // No later pair can be nearer.
    if (best !== undefined && at >= best[0] + best[1]) break
    const match = places.get(placeOf(row))?.find((place) => isAlike(one, at, other, place))
    if (match === undefined) continue
    if (best === undefined || at + match < best[0] + best[1]) best = [at, match]
  }
  return best === undefined ? undefined : [path + best[0], path + best[1]]
}

function placeOf({ pc, opcode, depth }: StepRow): string {
  return `${depth} ${pc} ${opcode}`
}

function isAlike(a: readonly StepRow[], i: number, b: readonly StepRow[], j: number): boolean {
  for (let k = 0; k < ALIKE; k++) {
    const one = a[i + k]
    const other = b[j + k]
    if (one === undefined || other === undefined) return one === other
    if (placeOf(one) !== placeOf(other)) return false
  }
  return true
}
