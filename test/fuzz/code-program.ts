import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { bigintToBytes, concatBytes } from '../../host/base/bytes.ts'
import { formatData, parseData } from '../../host/base/hex.ts'
import type { Revision } from '../../host/evm/chain-types/revision.ts'
import type { Engine } from '../../host/evm/engine/engine.ts'
import type { TransactionInput } from '../../host/evm/engine/message.ts'
import type { HostResult, Need } from '../../host/evm/engine/need.ts'
import type { TraceEvent } from '../../host/evm/engine/trace-event.ts'
import { answerFrom } from '../../host/evm/state/answer.ts'
import type { StateView } from '../../host/evm/state/view.ts'
import { BENCH_CASES } from '../support/engine/bench-cases.ts'
import { assemble } from '../support/engine/bytecode.ts'
import {
  address,
  BLOCK,
  CONTRACT,
  stateWith,
  transaction,
} from '../support/engine/engine-fixture.ts'
import { codePiece, filling, linkCode } from '../support/engine/random-code.ts'
import { type Dice, makeDice } from './dice.ts'

/** A contract and a call of it. */
export interface CodeProgram {
  readonly code: Uint8Array
  readonly data: Uint8Array
  readonly gas: bigint
  readonly revision: Revision
  /** Nonce of the contract. */
  readonly nonce: bigint
}

const REVISIONS: readonly Revision[] = ['Osaka', 'Amsterdam', 'Prague', 'London', 'Byzantium']

/** The low address whose calls the host answers. */
export const HOST_ADDRESS = 0x9999

/** Another contract, and its code, which the call's data follows: an engine has not seen it before. */
const OTHER = 0x3333
const OTHER_CODE = assemble(1, 0, 'MSTORE', 32, 0, 'RETURN')
/** A contract of this nonce creates no other. */
const LAST_NONCE = (1n << 64n) - 1n

/** The parts of a signed transaction that its execution does not read. */
const SIGNED = {
  chainId: 1n,
  v: 0n,
  yParity: 0,
  r: 1n,
  s: 1n,
  raw: new Uint8Array(100),
} as const

/** The call costs that much before its first opcode. */
const INTRINSIC = 30_000n

const pieces = fc.array(codePiece, { minLength: 1, maxLength: 20 })

/** Pieces in a loop. */
function randomCode(seed: number, dice: Dice): Uint8Array {
  const [sample] = fc.sample(fc.tuple(filling, pieces), { numRuns: 1, seed })
  const [before, list] = sample as [never, never]
  return linkCode(before, list, dice.chance(0.1) ? 255 : 2 + dice.below(8))
}

/** Code of a real contract with up to eight of its bytes changed, moved or repeated. */
function mutatedCode(dice: Dice): { readonly code: Uint8Array; readonly data: Uint8Array } {
  const row = dice.pick(BENCH_CASES)
  let code = parseData(row.runtime)
  for (let count = dice.below(9); count > 0; count--) {
    const at = dice.below(code.length)
    const to = dice.below(code.length)
    if (dice.chance(0.7)) code[at] = dice.below(256)
    else if (dice.chance(0.5)) code.copyWithin(to, at, at + dice.below(40))
    else code = concatBytes([code.subarray(0, at), dice.bytes(1), code.subarray(at)])
  }
  const data = parseData(row.calldata)
  if (dice.chance(0.3) && data.length > 0) data[dice.below(data.length)] = dice.below(256)
  return { code, data }
}

/** Code that makes contracts of all kinds of bytes, and calls them. Some creations fail. */
function creatingCode(dice: Dice): Uint8Array {
  const init = dice.pick([
    // Returns a byte 0xef, 25,000 bytes, or memory that costs more than it has to keep it
    assemble(0xef, 0, 'MSTORE8', 1, 0, 'RETURN'),
    assemble(25_000, 0, 'RETURN'),
    assemble(dice.below(24_000), 0, 'RETURN'),
    assemble('ADDRESS', 'BALANCE', 'POP', 'STOP'),
  ])
  const word = init.length > 31 ? init.subarray(0, 31) : init
  const value = BigInt(`0x${Buffer.from(word).toString('hex')}`)
  const size = dice.chance(0.2) ? 50_000 : word.length
  const at = 32 - word.length
  const kind = dice.pick(['CREATE', 'CREATE2'])
  const salt = kind === 'CREATE2' ? [7] : []
  const turns = 3
  // The second turn of CREATE2 collides with the first
  const start = assemble(value, 0, 'MSTORE', turns).length
  return assemble(
    ...[value, 0, 'MSTORE', turns, 'JUMPDEST'],
    ...[...salt, size, at, dice.chance(0.2) ? 9 : 0, kind, 'EXTCODESIZE', 'POP'],
    ...[1, 'SWAP1', 'SUB', 'DUP1', start, 'JUMPI', 'STOP'],
  )
}

/** Code that calls itself with a write in a static call, after a loop. */
function staticCode(dice: Dice): Uint8Array {
  const write = dice.pick([
    [1, 0, 'SSTORE'],
    [1, 0, 'TSTORE'],
    [0, 0, 'LOG0'],
    [0, 0, 0, 'CREATE'],
  ])
  return assemble(
    ...[3, 'JUMPDEST', 1, 'SWAP1', 'SUB', 'DUP1', 2, 'JUMPI'],
    ...[...write, 0, 0, 0, 0, 'ADDRESS', 'GAS', 'STATICCALL', 'STOP'],
  )
}

/**
 * Code that loops, and after that copies a code, and calls a contract, a precompile outside the engine, or the host. The
 * account is read before the loop, so that the code is missing in compiled code.
 */
function callingCode(dice: Dice): Uint8Array {
  const to = dice.pick([0xb, 0xe, HOST_ADDRESS, OTHER])
  const start = assemble(to, 'BALANCE', 'POP', 4)
  return concatBytes([
    start,
    assemble('JUMPDEST', 1, 'SWAP1', 'SUB', 'DUP1', start.length, 'JUMPI'),
    assemble(32, 0, 0, to, 'EXTCODECOPY'),
    // Another slice begins after it
    dice.chance(0.5) ? assemble(999, 'BLOCKHASH', 'POP') : assemble(),
    assemble(0, 0, 256, 0, to, 'GAS', 'STATICCALL', 'STOP'),
  ])
}

/** Code that calls itself with all its gas, to the greatest depth, and then counts a loop down. */
function deepCode(turns: number): Uint8Array {
  const call = assemble(0, 0, 0, 0, 0, 'ADDRESS', 'GAS', 'CALL', 'POP', turns)
  const loop = assemble('JUMPDEST', 1, 'SWAP1', 'SUB', 'DUP1', call.length, 'JUMPI', 'STOP')
  return concatBytes([call, loop])
}

/** Returns a program that depends only on the seed. */
export function generateCode(seed: number): CodeProgram {
  const dice = makeDice(seed)
  const revision = dice.pick(REVISIONS)
  const data = dice.bytes(36)
  if (dice.chance(0.01)) {
    // Osaka caps the gas of a transaction
    const code = deepCode(1 + dice.below(5))
    return { code, data, gas: 1n << 40n, revision: 'Prague', nonce: 1n }
  }
  if (dice.chance(0.1)) {
    const code = dice.pick([creatingCode, staticCode, callingCode])(dice)
    const spent = dice.number(dice.chance(0.5) ? 23 : 17)
    const nonce = dice.chance(0.1) ? LAST_NONCE : 1n
    return { code, data, gas: INTRINSIC + spent, revision, nonce }
  }
  const gas = INTRINSIC + dice.number(dice.chance(0.3) ? 21 : 17)
  if (BENCH_CASES.length > 0 && dice.chance(0.3)) {
    return { ...mutatedCode(dice), gas, revision, nonce: 1n }
  }
  return { code: randomCode(seed, dice), data, gas, revision, nonce: 1n }
}

/** Copies an event, because the engine's memory holds its data only until the next one. */
function copyEvent(event: TraceEvent): object {
  const entries = Object.entries(event).map(([name, value]) => [
    name,
    typeof value === 'object' ? structuredClone(value) : value,
  ])
  return Object.fromEntries(entries)
}

function stateOf({ code, data, nonce }: CodeProgram): StateView {
  const state = stateWith(code)
  state.setAccount(CONTRACT, nonce, 5n, code)
  state.setAccount(address(OTHER), 1n, 0n, concatBytes([OTHER_CODE, data]))
  return state
}

function inputOf({ data, gas, revision }: CodeProgram): TransactionInput {
  return transaction({ type: revision === 'Byzantium' ? 0 : 2, gas, maxFeePerGas: 0n, data })
}

function onHostCall({ call: { input } }: Need & { kind: 'host' }): HostResult {
  return { success: input.length % 2 === 0, gasUsed: 3n, output: input.slice(0, 40) }
}

function beginBlock(engine: Engine, { revision }: CodeProgram): void {
  engine.beginBlock({ ...BLOCK, revision, baseFee: 0n, gasLimit: 1n << 41n })
}

/** Runs a program alone in its block. Returns its outcome, the events of its calls and logs, and its changes. */
function runCode(engine: Engine, program: CodeProgram): object {
  beginBlock(engine, program)
  const events: object[] = []
  const trace = { onEvent: (event: TraceEvent) => void events.push(copyEvent(event)) }
  const run = engine.transact(inputOf(program), { trace })
  const outcome = answerFrom(run, stateOf(program), { onHostCall })
  const logs = outcome.kind === 'executed' ? [...outcome.logs] : []
  return structuredClone({ outcome: { ...outcome, logs }, events, diff: engine.diff() })
}

/** Runs a program three times in a batch. Returns its results and receipts, and the changes. */
function runBatch(engine: Engine, program: CodeProgram): object {
  beginBlock(engine, program)
  const input = inputOf(program)
  const transactions = [0, 1, 2].map((nonce) => ({
    ...input,
    ...SIGNED,
    nonce: BigInt(nonce),
    hash: bigintToBytes(BigInt(nonce), 32),
  }))
  const run = engine.executeBatch(transactions)
  const { fault, ...results } = answerFrom(run, stateOf(program), { onHostCall })
  return structuredClone({ ...results, fault: fault?.message, diff: engine.diff() })
}

/**
 * Runs a program on both engines, on the second one twice: to compile it, and to run what it has compiled. Then both run
 * it in a batch. Returns a description of a difference.
 */
export function compareCode(
  interpreted: Engine,
  compiled: Engine,
  program: CodeProgram,
): string | undefined {
  const { code, data, gas, revision } = program
  const text = `${formatData(code)} with ${formatData(data)}, gas ${gas}, ${revision}`
  const expected = runCode(interpreted, program)
  for (let i = 0; i < 2; i++) {
    if (!isDeepStrictEqual(runCode(compiled, program), expected)) return `run ${i} of ${text}`
  }
  // Six more runs: for half of the programs
  if (code.length % 2 === 0) return undefined
  const isEqual = isDeepStrictEqual(runBatch(compiled, program), runBatch(interpreted, program))
  return isEqual ? undefined : `a batch of ${text}`
}
