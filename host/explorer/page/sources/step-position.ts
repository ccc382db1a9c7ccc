import { parseData } from '../../../base/hex.ts'
import { lookup } from '../../../base/lookup.ts'
import type { CallNode, Stepper, StepRow, StepView } from '../../browser/step/stepper.ts'
import type { FailingNodes, RevertKind, SourceRange } from '../decode/solc/failing-nodes.ts'
import { isCreation } from '../decode/words/call-words.ts'
import { REVERTED } from '../decode/words/fault-words.ts'
import type { KnownCode, RunSources, SourcePosition } from './run-sources.ts'

/** A run whose steps have sources. */
export interface SourcedRun {
  readonly stepper: Pick<Stepper, 'linePc' | 'rows'>
  readonly calls: readonly CallNode[]
  readonly sources: RunSources
}

/** Steps to read before a failure: a check of an operation and the code that reverts. */
const LOOK_BACK = 100

/**
 * Returns the line that the user wrote for a step. Generated code has the line on the internal call stack that called
 * it. A failure has the line of what failed, also in code that the optimizer shares or moved.
 */
export async function stepPosition(
  run: SourcedRun,
  step: StepView,
): Promise<SourcePosition | undefined> {
  const known = run.sources.codeOf(step.codeHash)
  if (known === undefined) return undefined
  const call = run.calls[step.call]
  if (call?.fault?.step === step.index && call.fault.error === REVERTED) {
    return failurePosition(run, known, step, call)
  }
  return run.sources.positionOf({ ...step, pc: await linePc(run, step) })
}

/** Returns the pc of the line of a step, as far as the source map tells; its own if it has none. */
async function linePc({ stepper, sources }: SourcedRun, step: StepView): Promise<number> {
  const marks = sources.marksOf(step.codeHash)
  if (marks === undefined || !sources.isGenerated(step)) return step.pc
  return (await stepper.linePc(step.index, marks)) ?? step.pc
}

async function failurePosition(
  run: SourcedRun,
  { code, places, match }: KnownCode,
  step: StepView,
  call: CallNode,
): Promise<SourcePosition | undefined> {
  const { sources, stepper } = run
  const nodes = places.failingNodes
  const marks = sources.marksOf(step.codeHash)
  const first = Math.max(call.firstStep, step.index - LOOK_BACK)
  const before = await stepper.rows(first, step.index - first)
  const rows = before.filter((row) => row.call === call.index)
  const ownPc = await linePc(run, step)
  const own = rangeAt(sources, step, ownPc)
  const isGenerated = sources.isGenerated(step)
  const entered = blockStart(rows)
  const jumpedPc = entered && marks && (await stepper.linePc(entered.index, marks))
  const from = jumpedPc === undefined ? undefined : rangeAt(sources, step, jumpedPc)
  const exact = () => sources.positionOf({ ...step, pc: ownPc })
  const shown = (range: SourceRange | undefined): SourcePosition | undefined => {
    const place = range && places.placeOf(range)
    if (place === undefined) return exact()
    const { path, from: start, to, functionName } = place
    return { path, line: start.line, endLine: to.line, functionName, isInferred: true }
  }
  const revert = revertKind(call, rows)
  if (own === undefined) {
    const selector = isCreation(call) ? undefined : call.input.slice(2, 10)
    const entry = nodes.entry(selector, match.artifact.name)
    const failed = entry && revert.kind !== 'empty' ? nodes.failing(entry, revert) : undefined
    return shown(failed ?? entry)
  }
  // The optimizer merges equal ends of code: the line of one of them stands for all.
  const isShared = from !== undefined && entered !== undefined && !overlaps(from, own)
  const checks = checksSince(
    rows,
    code.bytes,
    entered,
    (pc) => !sources.isGenerated({ ...step, pc }),
  )
  if (isShared && isMerged(nodes, from, own, revert)) {
    return shown(nodes.failing(from, revert, checks) ?? from)
  }
  if (isGenerated) {
    const failed = nodes.failing(own, revert, checks)
    return failed === undefined || overlaps(failed, own) ? exactOr(failed, own) : shown(failed)
  }
  const inAssembly = nodes.yulRevert(own)
  return inAssembly === undefined ? exact() : shown(inAssembly)

  /** The failing part of the line's range: a condition of several lines has one. */
  function exactOr(failed: SourceRange | undefined, range: SourceRange) {
    return failed !== undefined && isInside(failed, range) ? shown(failed) : exact()
  }
}

/** Returns true if a block was merged with that of other code, from which the run did not come. */
function isMerged(
  nodes: FailingNodes,
  from: SourceRange,
  own: SourceRange,
  revert: RevertKind,
): boolean {
  if (!nodes.isSameFunction(from, own)) return true
  const [here, there] = [nodes.failing(from, revert), nodes.failing(own, revert)]
  return (
    own.start < from.start || (here !== undefined && overlaps(here, from)) || there === undefined
  )
}

/** Returns the range of a line at a pc; undefined for a whole contract and without a source. */
function rangeAt(sources: RunSources, { codeHash }: StepView, pc: number): SourceRange | undefined {
  if (sources.isGenerated({ codeHash, pc })) return undefined
  const place = sources.codeOf(codeHash)?.places.at(pc)
  if (place === undefined) return undefined
  return { path: place.path, start: place.start, end: place.start + place.length }
}

function overlaps(a: SourceRange, b: SourceRange): boolean {
  return isInside(a, b) || isInside(b, a)
}

function isInside(a: SourceRange, b: SourceRange): boolean {
  return a.path === b.path && a.start >= b.start && a.end <= b.end
}

/** Returns the JUMPDEST from which the steps run straight to the failure, if a jump led to it. */
function blockStart(rows: readonly StepRow[]): StepRow | undefined {
  for (let i = rows.length - 1; i > 0; i--) {
    const row = rows[i] as StepRow
    if (row.name === 'JUMPI') return undefined
    if (row.name !== 'JUMPDEST') continue
    return /^JUMPI?$/.test(rows[i - 1]?.name ?? '') ? row : undefined
  }
  return undefined
}

/** Returns how many checks since the last line lead to the same end as the one that failed. */
function checksSince(
  rows: readonly StepRow[],
  code: Uint8Array,
  entered: StepRow | undefined,
  isLine: (pc: number) => boolean,
): number {
  const end = entered === undefined ? -1 : rows.indexOf(entered)
  // A block of its own, such as a helper, may be called from the one that all checks jump to.
  const last = rows.slice(0, end).findLastIndex(({ name }) => name === 'JUMPI')
  const target = rows[last + 1]
  if (last < 0 || target?.name !== 'JUMPDEST') return 1
  let checks = 0
  for (let i = last; i > 0 && !isLine((rows[i] as StepRow).pc); i--) {
    const push = rows[i - 1] as StepRow
    if ((rows[i] as StepRow).name === 'JUMPI' && pushed(code, push.pc) === target.pc) checks++
  }
  return checks
}

/** Returns the operand of a PUSH of at most 4 bytes. */
function pushed(code: Uint8Array, pc: number): number | undefined {
  const length = (code[pc] ?? 0) - 0x5f
  if (length < 1 || length > 4) return undefined
  return code.subarray(pc + 1, pc + 1 + length).reduce((value, byte) => value * 256 + byte, 0)
}

const PANIC = '0x4e487b71'
const REASON = '0x08c379a0'

function revertKind({ output }: CallNode, rows: readonly StepRow[]): RevertKind {
  if (output.length < 10) return { kind: 'empty' }
  const selector = output.slice(0, 10)
  if (selector === PANIC && output.length === 74) {
    const code = Number(BigInt(`0x${output.slice(10)}`) & 0xffffn)
    const operator = checkedOperator(rows)
    return { kind: 'panic', code, ...(operator !== undefined && { operator }) }
  }
  if (selector === REASON) {
    // The offset is 32 in everything that Solidity writes.
    const length = Number(BigInt(`0x${output.slice(74, 138) || '0'}`))
    const bytes = parseData(`0x${output.slice(138, 138 + 2 * Math.min(length, output.length))}`)
    return { kind: 'reason', text: new TextDecoder().decode(bytes) }
  }
  return { kind: 'error', selector: selector.slice(2) }
}

const OPERATORS: Readonly<Record<string, '+' | '-' | '*'>> = { ADD: '+', SUB: '-', MUL: '*' }

/** Returns the operator between the last two branches, whose result the last of them checked. */
function checkedOperator(rows: readonly StepRow[]): '+' | '-' | '*' | undefined {
  const branches = rows.flatMap(({ name }, at) => (name === 'JUMPI' ? [at] : []))
  const [start = -1, end = rows.length] = branches.slice(-2)
  const names = rows.slice(start + 1, end).map(({ name }) => name)
  // The optimizer subtracts a constant by adding its complement.
  if (names.includes('NOT')) return undefined
  const found = new Set(
    names.map((name) => lookup(OPERATORS, name)).filter((operator) => operator !== undefined),
  )
  return found.has('*') ? '*' : found.size === 1 ? [...found][0] : undefined
}
