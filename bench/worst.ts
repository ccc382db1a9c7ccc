import { bigintToBytes, concatBytes } from '../host/base/bytes.ts'
import type { Revision } from '../host/evm/chain-types/revision.ts'
import { loadEngine } from '../host/evm/engine/engine.ts'
import { OPCODES } from '../host/evm/engine/opcode.ts'
import { answerFrom } from '../host/evm/state/answer.ts'
import { readModule } from '../host/node/wasm.ts'
import { assemble } from '../test/support/engine/bytecode.ts'
import { BLOCK, executed, stateWith, transaction } from '../test/support/engine/engine-fixture.ts'
import { type PrecompileInput, slowInputs } from './worst-precompiles.ts'

/** Gas of one run: nearly the maximum of a transaction (EIP-7825). */
const GAS = 16_000_000n
const RUNS = 5
/** Gas for the comparison of a precompile's inputs; the slowest then runs with more. */
const TRIAL_GAS = 4_000_000n
const UNROLLED = 64
/** A call above this is not unrolled, since the last round would leave too much gas unused. */
const DEAR_CALL = 5_000

type Item = string | number | bigint | Uint8Array

/** A program that stops when its gas is used up, or too little for another round. */
interface Load {
  readonly name: string
  readonly code: Uint8Array
  readonly data: Uint8Array
  readonly revision: Revision
  readonly isEndless: boolean
}

/** `setup`, then `body` repeatedly until the gas is used up. */
interface Loop {
  readonly name: string
  readonly setup: readonly Item[]
  readonly body: readonly Item[]
}

const LARGE = (1n << 255n) + 0x1234_5678_9abc_def1n
const MIDDLE = (1n << 129n) + 0x7fff_ffff_ffffn

/** Operands for which an operation takes longest; the top of the stack is last. */
const OPERANDS: Readonly<Record<string, readonly bigint[]>> = {
  DIV: [MIDDLE, LARGE],
  SDIV: [MIDDLE, LARGE],
  MOD: [MIDDLE, LARGE],
  SMOD: [MIDDLE, LARGE],
  ADDMOD: [MIDDLE, LARGE, LARGE],
  MULMOD: [MIDDLE, LARGE, LARGE],
  EXP: [(1n << 256n) - 1n, LARGE],
  BYTE: [LARGE, 30n],
  SHL: [LARGE, 65n],
  SHR: [LARGE, 65n],
  SAR: [LARGE, 65n],
  SIGNEXTEND: [LARGE, 17n],
  MLOAD: [31n],
  MSTORE: [LARGE, 31n],
  MSTORE8: [LARGE, 31n],
  KECCAK256: [0n, 0n],
  CALLDATALOAD: [1n],
  CALLDATACOPY: [0n, 0n, 0n],
  CODECOPY: [0n, 0n, 0n],
  RETURNDATACOPY: [0n, 0n, 0n],
  MCOPY: [1024n, 1n, 0n],
  EXTCODECOPY: [0n, 0n, 0n, 0n],
  BLOCKHASH: [BigInt(BLOCK.number) - 1n],
  BLOBHASH: [0n],
  SLOAD: [1n],
  SSTORE: [1n, 1n],
  TLOAD: [1n],
  TSTORE: [1n, 1n],
  BALANCE: [1n],
  EXTCODESIZE: [1n],
  EXTCODEHASH: [1n],
  LOG0: [0n, 0n],
  LOG1: [1n, 0n, 0n],
  LOG2: [1n, 1n, 0n, 0n],
  LOG3: [1n, 1n, 1n, 0n, 0n],
  LOG4: [1n, 1n, 1n, 1n, 0n, 0n],
  CREATE: [0n, 0n, 0n],
  CALL: [0n, 0n, 0n, 0n, 0n, 0xffffn, 0n],
  CALLCODE: [0n, 0n, 0n, 0n, 0n, 0xffffn, 0n],
  DELEGATECALL: [0n, 0n, 0n, 0n, 0xffffn, 0n],
  STATICCALL: [0n, 0n, 0n, 0n, 0xffffn, 0n],
}

/** Opcodes that end a frame or are meaningless alone. */
const NOT_LOOPED = new Set(
  ['STOP', 'RETURN', 'REVERT', 'INVALID', 'SELFDESTRUCT', 'CREATE2', 'JUMP', 'JUMPI'].concat('POP'),
)

function repeat(items: readonly Item[], times: number): Item[] {
  return Array.from({ length: times }, () => items).flat()
}

/** Returns a loop for each opcode that copies its operands from below and drops its result. */
function opcodeLoops(): Loop[] {
  const loops: Loop[] = []
  for (const opcode of OPCODES) {
    if (opcode === undefined || NOT_LOOPED.has(opcode.name)) continue
    const { name, taken, left } = opcode
    const memory: Item[] = [LARGE, 4096, 'MSTORE']
    if (/^(PUSH|DUP|SWAP)/.test(name)) {
      const immediate = name.startsWith('PUSH') ? Number(name.slice(4)) : 0
      const bytes = new Uint8Array(immediate).fill(0x5b)
      const drop = name.startsWith('SWAP') ? [] : ['POP']
      loops.push({ name, setup: repeat([LARGE], 17), body: [name, bytes, ...drop] })
      continue
    }
    const operands = OPERANDS[name] ?? Array.from({ length: taken }, () => LARGE)
    const copies = repeat([`DUP${taken}`], taken === 0 ? 0 : taken)
    const body = [...copies, name, ...repeat(['POP'], left)]
    loops.push({ name, setup: [...memory, ...operands], body })
  }
  return loops
}

/** Returns patterns that an opcode alone does not show: state touched for the first time, jumps, initcode. */
function patternLoops(): Loop[] {
  const count: Item[] = ['DUP1', 1, 'ADD', 'SWAP1']
  const call = (gas: number): Item[] => [0, 0, 0, 0, 'ADDRESS', gas, 'STATICCALL', 'POP']
  return [
    { name: 'POP', setup: [], body: ['PC', 'POP'] },
    { name: 'SLOAD cold', setup: [0], body: [...count, 'SLOAD', 'POP'] },
    { name: 'SSTORE cold', setup: [1], body: ['DUP1', ...count, 'SSTORE'] },
    { name: 'TSTORE new', setup: [1], body: ['DUP1', ...count, 'TSTORE'] },
    { name: 'BALANCE cold', setup: [1n << 80n], body: [...count, 'BALANCE', 'POP'] },
    { name: 'EXTCODESIZE cold', setup: [1n << 80n], body: [...count, 'EXTCODESIZE', 'POP'] },
    { name: 'EXTCODEHASH cold', setup: [1n << 80n], body: [...count, 'EXTCODEHASH', 'POP'] },
    { name: 'KECCAK256 of 135 bytes', setup: [], body: [135, 0, 'KECCAK256', 'POP'] },
    { name: 'KECCAK256 of 64 KiB', setup: [], body: [65_536, 0, 'KECCAK256', 'POP'] },
    { name: 'CALLDATACOPY of 64 KiB', setup: [], body: [65_536, 0, 0, 'CALLDATACOPY'] },
    { name: 'MCOPY of 64 KiB', setup: [], body: [65_536, 1, 0, 'MCOPY'] },
    { name: 'MSTORE growing', setup: [0], body: ['DUP1', 'DUP1', 'MSTORE', 32, 'ADD'] },
    { name: 'JUMP', setup: [], body: [] },
    { name: 'STATICCALL of itself', setup: [], body: call(700) },
    {
      name: 'CREATE2 of 48 KiB',
      setup: [0],
      body: [...count, 49_152, 0, 0, 'CREATE2', 'POP'],
    },
    {
      name: 'CREATE of 48 KiB of PUSH1',
      setup: [BigInt(`0x00${'60'.repeat(31)}`), 0, 'MSTORE', 49_120, 0, 32, 'MCOPY'],
      body: [49_152, 0, 0, 'CREATE', 'POP'],
    },
  ]
}

/** Returns JUMPDEST, the body many times, and a jump back. */
function makeLoop({ name, setup, body }: Loop): Load {
  const start = assemble(...setup)
  const code = concatBytes([
    start,
    assemble('JUMPDEST', ...repeat(body, UNROLLED), wide(start.length), 'JUMP'),
  ])
  return { name, code, data: bigintToBytes(0n, 32), revision: BLOCK.revision, isEndless: true }
}

/** Returns calls of a precompile until the gas is used up. A failing call would take all of it. */
function makeCalls({ name, address, data, gas, revision }: PrecompileInput): Load {
  const call: Item[] = [0, 0, 'CALLDATASIZE', 0, address, 'GAS', 'STATICCALL']
  const copy: Item[] = ['CALLDATASIZE', 0, 0, 'CALLDATACOPY']
  const first = assemble(...copy, ...call)
  const start = first.length + 5
  const calls = gas > DEAR_CALL ? 1 : UNROLLED
  // A call gets 63/64 of the gas (EIP-150) and takes up to 2,600 itself.
  const round = BigInt(Math.ceil((calls * (gas + 2_700) * 64) / 63))
  const rounds = assemble('JUMPDEST', round, 'GAS', 'LT')
  const body = assemble('JUMPI', ...repeat([...call, 'POP'], calls), wide(start), 'JUMP')
  const end = start + rounds.length + 3 + body.length
  const code = concatBytes([
    // The first call must succeed.
    first,
    assemble(wide(start), 'JUMPI', 'INVALID'),
    rounds,
    wide(end),
    body,
    assemble('JUMPDEST'),
  ])
  return { name, code, data, revision, isEndless: false }
}

/** Returns what a transaction pays for its data, which costs no computation (EIP-2028). */
function dataGas(data: Uint8Array, revision: Revision): number {
  const perByte = revision === 'Byzantium' ? 68 : 16
  return data.reduce((sum, byte) => sum + (byte === 0 ? 4 : perByte), 0)
}

/** Uses PUSH2, so that a position in the code does not depend on its value. */
function wide(place: number): Uint8Array {
  return Uint8Array.of(0x61, place >> 8, place & 0xff)
}

interface Speed {
  readonly name: string
  readonly speed: number
}

/**
 * Measures Mgas/s of a transaction full of each opcode and each precompile at the worst known input, slowest first.
 * It uses CPU time, since wall time includes other processes. Preparing the operands is included. LOCKSTEP_VECTORS
 * adds published inputs.
 */
export async function runWorstBench(): Promise<void> {
  const pairing = await WebAssembly.compile(await readModule('pairing'))
  const engine = await loadEngine(await readModule('engine'), { pairing })
  const measure = ({ name, code, data, revision, isEndless }: Load, gas: bigint, runs: number) => {
    const state = stateWith(code)
    // Type 2 starts at London.
    const type = revision === BLOCK.revision ? 2 : 0
    let speed = 0
    for (let i = 0; i < runs; i++) {
      engine.beginBlock({ ...BLOCK, revision, gasLimit: GAS, baseFee: 0n })
      const input = transaction({ type, gas, maxFeePerGas: 0n, data })
      const start = process.cpuUsage()
      const outcome = executed(answerFrom(engine.transact(input), state))
      const { user, system } = process.cpuUsage(start)
      if (isEndless ? outcome.gasUsed !== gas : !outcome.success) {
        throw new Error(`${name} stops: ${outcome.error}`)
      }
      // The fastest: other load on the machine only slows a run
      const gasOfCode = Number(outcome.gasUsed) - dataGas(data, revision)
      speed = Math.max(speed, gasOfCode / (user + system))
    }
    return speed
  }
  const results: Speed[] = []
  for (const loop of [...opcodeLoops(), ...patternLoops()]) {
    results.push({ name: loop.name, speed: measure(makeLoop(loop), GAS, RUNS) })
  }
  const slowest = new Map<string, { load: Load; speed: number }>()
  for (const input of await slowInputs(process.env.LOCKSTEP_VECTORS)) {
    const load = makeCalls(input)
    const speed = measure(load, TRIAL_GAS, 2)
    const known = slowest.get(load.name)
    if (known === undefined || known.speed > speed) slowest.set(load.name, { load, speed })
  }
  for (const { load } of slowest.values()) {
    results.push({ name: load.name, speed: measure(load, GAS, RUNS) })
  }
  results.sort((a, b) => a.speed - b.speed)
  for (const { name, speed } of results) {
    console.log(
      JSON.stringify({ bench: 'worst', case: name, mgas_per_s: Number(speed.toPrecision(3)) }),
    )
  }
}
