import type { Hex } from '../../../host/base/hex.ts'

/** A trace in the format of the trace_ methods and flatCallTracer. */
export interface Trace {
  readonly action: Readonly<Record<string, string>>
  readonly error?: string
  readonly result?: Readonly<Record<string, string>> | null
  readonly subtraces: number
  readonly traceAddress: readonly number[]
  readonly type: string
  readonly blockHash?: Hex
  readonly blockNumber?: number
  readonly transactionHash?: Hex | null
  readonly transactionPosition?: number | null
}

/** A change in Parity's format. */
export type Change =
  | '='
  | { '+': string }
  | { '-': string }
  | { '*': { readonly from: string; readonly to: string } }

export interface AccountDiff {
  readonly balance: Change
  readonly code: Change
  readonly nonce: Change
  readonly storage: Readonly<Record<string, Change>>
}

export interface VmTrace {
  readonly code: Hex
  readonly ops: readonly VmOp[]
}

export interface VmOp {
  readonly pc: number
  readonly cost: number
  readonly ex: {
    readonly used: number
    readonly push: readonly string[]
    readonly mem: { readonly off: number; readonly data: string } | null
    readonly store: { readonly key: string; readonly val: string } | null
  } | null
  readonly sub: VmTrace | null
}

export interface Replay {
  readonly output: Hex
  readonly stateDiff: Readonly<Record<string, AccountDiff>> | null
  readonly trace: readonly Trace[]
  readonly vmTrace: VmTrace | null
  readonly transactionHash?: Hex
}

/** An account in the format of prestateTracer. */
interface Account {
  readonly balance?: string
  readonly code?: string
  readonly nonce?: number
  readonly storage?: Readonly<Record<string, string>>
}

/** The result of prestateTracer with `diffMode`. */
export interface PrestateDiff {
  readonly pre: Readonly<Record<string, Account>>
  readonly post: Readonly<Record<string, Account>>
}

const ZERO = `0x${'0'.repeat(64)}`
const quantity = (value: number | string = 0) => `0x${BigInt(value).toString(16)}`

function changed(from: string, to: string | undefined): Change {
  return to === undefined || to === from ? '=' : { '*': { from, to } }
}

function each(storage: Account['storage'], change: (value: string, key: string) => Change) {
  return Object.fromEntries(
    Object.entries(storage ?? {}).map(([key, value]) => [key, change(value, key)]),
  )
}

function isNothing({ balance, code, nonce, storage }: Account = {}): boolean {
  return [balance, code, nonce, storage].every((member) => member === undefined)
}

/** Returns the expected stateDiff of Parity, from prestateTracer's result for the same transaction. */
export function stateDiffOf({ pre, post }: PrestateDiff): Record<string, AccountDiff> {
  const diffs: Record<string, AccountDiff> = {}
  for (const address of new Set([...Object.keys(pre), ...Object.keys(post)])) {
    const [before, after] = [pre[address], post[address]]
    if (before === undefined) {
      // prestateTracer shows the code hash of an account that was not created.
      if (isNothing(after)) continue
      diffs[address] = {
        balance: { '+': after?.balance ?? '0x0' },
        code: { '+': after?.code ?? '0x' },
        nonce: { '+': quantity(after?.nonce) },
        storage: each(after?.storage, (value) => ({ '+': value })),
      }
    } else if (after === undefined) {
      diffs[address] = {
        balance: { '-': before.balance ?? '0x0' },
        code: { '-': before.code ?? '0x' },
        nonce: { '-': quantity(before.nonce) },
        storage: {},
      }
    } else {
      // A slot that was zero is absent before, one that became zero is absent after.
      const from = (key: string) => before.storage?.[key] ?? ZERO
      diffs[address] = {
        balance: changed(before.balance ?? '0x0', after.balance),
        code: changed(before.code ?? '0x', after.code),
        nonce: changed(
          quantity(before.nonce),
          after.nonce === undefined ? undefined : quantity(after.nonce),
        ),
        storage: {
          ...each(before.storage, (value, key) => changed(value, after.storage?.[key] ?? ZERO)),
          ...each(after.storage, (value, key) => changed(from(key), value)),
        },
      }
    }
  }
  return diffs
}

/** A step of geth's struct logger. */
export interface StructLog {
  readonly pc: number
  readonly op: string
  readonly gas: number
  readonly gasCost: number
  readonly depth: number
  readonly stack: readonly string[]
  readonly error?: string
}

interface PlacedOp {
  readonly op: VmOp
  readonly depth: number
}

/** Returns the opcodes of a vmTrace in execution order, each with its depth. */
function opsOf({ ops }: VmTrace, depth = 1, found: PlacedOp[] = []): readonly PlacedOp[] {
  for (const op of ops) {
    found.push({ op, depth })
    if (op.sub !== null) opsOf(op.sub, depth + 1, found)
  }
  return found
}

/**
 * The fields of a step that both formats have: the results on the stack, and the gas after it if its frame continues.
 */
interface SharedStep {
  readonly pc: number
  readonly depth: number
  readonly cost: number | undefined
  readonly used: number | undefined
  readonly push: readonly string[]
}

/** Returns true for the STOP after the last byte, and for steps that failed before they were priced. */
function isUncounted({ op, error }: StructLog): boolean {
  return op === 'STOP' || op === 'INVALID' || op.endsWith(' not defined') || error !== undefined
}

const isCreation = (step: StructLog) => step.op.startsWith('CREATE')

/**
 * Returns the opcodes of a vmTrace and geth's steps of the same transaction in one format. geth's steps that Parity
 * does not count are left out. Any other step that the vmTrace lacks remains a difference.
 */
export function comparableSteps(
  { vmTrace }: Replay,
  steps: readonly StructLog[],
): readonly [readonly SharedStep[], readonly SharedStep[]] {
  const ops = vmTrace === null ? [] : opsOf(vmTrace)
  const ours: SharedStep[] = []
  const theirs: SharedStep[] = []
  let at = 0
  for (const [i, step] of steps.entries()) {
    const placed = ops[at]
    const { pc, depth } = step
    const isSame = placed?.op.pc === pc && placed.depth === depth
    if (!isSame && isUncounted(step)) continue
    const next = steps.slice(i + 1).find((later) => later.depth <= depth)
    const hasNext = next?.depth === depth && placed?.op.ex !== null
    const push = placed?.op.ex?.push ?? []
    theirs.push({
      pc,
      depth,
      cost: isCreation(step) ? undefined : step.gasCost,
      used: hasNext ? next.gas : undefined,
      push: hasNext && push.length > 0 ? next.stack.slice(-push.length) : [],
    })
    if (placed === undefined) continue
    ours.push({
      pc: placed.op.pc,
      depth: placed.depth,
      // Parity includes the gas that a creation forwards, geth does not.
      cost: isCreation(step) ? undefined : placed.op.cost,
      used: hasNext ? placed.op.ex?.used : undefined,
      push,
    })
    at++
  }
  for (const { op, depth } of ops.slice(at)) {
    ours.push({ pc: op.pc, depth, cost: op.cost, used: op.ex?.used, push: op.ex?.push ?? [] })
  }
  return [ours, theirs]
}

/** Returns a frame without the gas of the root, in which geth includes what the transaction pays outside it. */
export function withoutRootGas({ action, result, ...rest }: Trace): object {
  if (rest.traceAddress.length > 0) return { ...rest, action, ...(result && { result }) }
  const { gas: _, ...shown } = action
  const { gasUsed: __, ...left } = result ?? {}
  return { ...rest, action: shown, ...(result && { result: left }) }
}

/** Returns a frame of a mined transaction in the form of a replay. */
export function withoutPlace({
  blockHash: _,
  blockNumber: __,
  transactionHash: ___,
  transactionPosition: ____,
  ...frame
}: Trace): Trace {
  return frame
}
