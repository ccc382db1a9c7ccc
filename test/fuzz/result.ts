/** An opcode about to run, as both machines describe it. `gas` is the gas left before it. */
export interface StepRecord {
  readonly depth: number
  readonly pc: number
  readonly opcode: number
  readonly gas: bigint
  /** Undefined if the two define it differently. */
  readonly cost: bigint | undefined
  readonly refund: bigint | undefined
  readonly memorySize: number
  readonly stackHeight: number
  /** Words in hex, from the bottom of the stack. */
  readonly stack: string
  /** The bytes as UTF-16 units. Equal memories of neighbouring steps share one string. */
  readonly memory: string
}

export interface TransactionResult {
  /** False if the transaction is invalid in the block. */
  readonly isIncluded: boolean
  readonly success: boolean
  readonly gasUsed: bigint
  readonly output: string
  readonly createdAddress: string
  /** geth's error message, which EthereumJS does not have. */
  readonly error?: string | undefined
  readonly logs: readonly string[]
  readonly steps: readonly StepRecord[]
}

export interface ScenarioResult {
  readonly transactions: readonly TransactionResult[]
  /** One line for each account and slot, sorted. */
  readonly state: readonly string[]
}

const FIELDS = [
  'isIncluded',
  'success',
  'gasUsed',
  'output',
  'createdAddress',
] as const satisfies readonly (keyof TransactionResult)[]

const STOP = 0x00

/** The first place where two results differ. */
export interface Difference {
  readonly kind: 'crash' | 'step' | 'outcome' | 'state' | 'loops'
  /** The field of a record that differs, or an empty string if a whole record is missing. */
  readonly field: string
  readonly text: string
  /** The engine's step at which the traces diverge. */
  readonly step?: StepRecord | undefined
}

/** Returns the first difference, with "theirs" as the expectation, or undefined if there is none. */
export function compareResults(
  ours: ScenarioResult,
  theirs: ScenarioResult,
): Difference | undefined {
  for (const [i, our] of ours.transactions.entries()) {
    const their = theirs.transactions[i] as TransactionResult
    const difference = compareSteps(our.steps, their.steps) ?? compareOutcomes(our, their)
    if (difference !== undefined) return { ...difference, text: `tx ${i}: ${difference.text}` }
  }
  return compareLists('state', 'state', ours.state, theirs.state)
}

/** Compares two runs of one machine, one of which may have no steps. */
export function compareLoops(
  plain: ScenarioResult,
  traced: ScenarioResult,
): Difference | undefined {
  const dropSteps = (result: ScenarioResult) => ({
    ...result,
    transactions: result.transactions.map((transaction) => ({ ...transaction, steps: [] })),
  })
  const difference = compareResults(dropSteps(plain), dropSteps(traced))
  return difference && { ...difference, kind: 'loops', text: `plain loop: ${difference.text}` }
}

function compareOutcomes(ours: TransactionResult, theirs: TransactionResult) {
  const fields = 'error' in theirs ? ([...FIELDS, 'error'] as const) : FIELDS
  for (const field of fields) {
    if (ours[field] === theirs[field]) continue
    return {
      kind: 'outcome',
      field,
      text: `${field} ${ours[field]}, not ${theirs[field]}`,
    } as const
  }
  return compareLists('outcome', 'logs', ours.logs, theirs.logs)
}

function compareLists(
  kind: Difference['kind'],
  field: string,
  ours: readonly string[],
  theirs: readonly string[],
): Difference | undefined {
  for (let i = 0; i < Math.max(ours.length, theirs.length); i++) {
    if (ours[i] === theirs[i]) continue
    return { kind, field, text: `${field} ${i}: ${ours[i]}, not ${theirs[i]}` }
  }
  return undefined
}

function compareSteps(
  ours: readonly StepRecord[],
  theirs: readonly StepRecord[],
): Difference | undefined {
  let j = 0
  for (const [i, step] of ours.entries()) {
    const their = theirs[j]
    // EthereumJS stops at the end of the code. The engine executes the implicit STOP there.
    const isEnd = step.opcode === STOP && (their?.pc !== step.pc || their.depth !== step.depth)
    if (isEnd) continue
    const field = their === undefined ? '' : differingField(step, their)
    if (field !== undefined) {
      const place = their !== undefined && field === 'memory' ? memoryDifference(step, their) : ''
      const text = `step ${i}: ${describe(step)}, not ${their && describe(their)}${place}`
      return { kind: 'step', field, text, step }
    }
    j++
  }
  const rest = theirs[j]
  return rest && { kind: 'step', field: '', text: `no step ${describe(rest)}` }
}

function differingField(ours: StepRecord, theirs: StepRecord): keyof StepRecord | undefined {
  for (const field of Object.keys(theirs) as (keyof StepRecord)[]) {
    const isKnown = ours[field] !== undefined && theirs[field] !== undefined
    if (ours[field] !== theirs[field] && isKnown) return field
  }
  return undefined
}

/** Returns where two memories differ, with the 32 bytes of each at that place. */
function memoryDifference(ours: StepRecord, theirs: StepRecord): string {
  const [mine, other] = [ours, theirs].map(({ memory }) => Buffer.from(memory, 'latin1'))
  const at = (mine as Buffer).findIndex((byte, i) => byte !== (other as Buffer)[i])
  const [here, there] = [mine, other].map((bytes) => bytes?.toString('hex', at, at + 32))
  return `; memory from ${at}: ${here}, not ${there}`
}

function describe(step: StepRecord): string {
  const fields = Object.entries(step).map(([name, value]) => {
    if (name === 'opcode') return `opcode 0x${value?.toString(16)}`
    return name === 'memory' ? '' : `${name} ${value}`
  })
  return `{${fields.filter(Boolean).join(', ')}}`
}

/** Sorts state lines: accounts by address, each followed by its slots. */
export function sortState(text: string): readonly string[] {
  const lines: string[] = []
  let account = ''
  for (const line of text.split('\n')) {
    if (line.startsWith('  ')) lines.push(`${account} slot ${line.trim()}`)
    else {
      account = line.split(' ')[0] as string
      if (line !== '') lines.push(line)
    }
  }
  return lines.sort()
}
