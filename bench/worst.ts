import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bigintToBytes, concatBytes } from '../host/base/bytes.ts'
import { type Hex, parseData } from '../host/base/hex.ts'
import { loadEngine } from '../host/engine/engine.ts'
import { OPCODES } from '../host/engine/opcode.ts'
import { readModule } from '../host/node/wasm.ts'
import { answerFrom } from '../host/state/answer.ts'
import { assemble } from '../test/support/bytecode.ts'
import { BLOCK, executed, stateWith, transaction } from '../test/support/engine-fixture.ts'
import { vectorsFolder } from './vectors.ts'

/** Gas of one run: nearly what one transaction may have (EIP-7825). */
const GAS = 16_000_000n
const RUNS = 5
/** A precompile's inputs are compared on less gas, and so many of them at most. */
const TRIAL_GAS = 400_000n
const TRIALS = 12
const UNROLLED = 64

type Item = string | number | bigint | Uint8Array

/** A program without end: `setup`, then `body` over and over until the gas is used up. */
interface Load {
  readonly name: string
  readonly setup: readonly Item[]
  readonly body: readonly Item[]
  readonly input?: Uint8Array
}

const LARGE = (1n << 255n) + 0x1234_5678_9abc_def1n
const MIDDLE = (1n << 129n) + 0x7fff_ffff_ffffn

/** Operands for which an operation takes longest, the one on top last. */
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

/** What ends a frame, and what has no meaning alone. */
const NOT_LOOPED = new Set(
  ['STOP', 'RETURN', 'REVERT', 'INVALID', 'SELFDESTRUCT', 'CREATE2', 'JUMP', 'JUMPI'].concat('POP'),
)

function repeat(items: readonly Item[], times: number): Item[] {
  return Array.from({ length: times }, () => items).flat()
}

/** Each opcode with its operands copied from below, its result dropped. */
function opcodeLoads(): Load[] {
  const loads: Load[] = []
  for (const opcode of OPCODES) {
    if (opcode === undefined || NOT_LOOPED.has(opcode.name)) continue
    const { name, taken, left } = opcode
    const memory: Item[] = [LARGE, 4096, 'MSTORE']
    if (/^(PUSH|DUP|SWAP)/.test(name)) {
      const immediate = name.startsWith('PUSH') ? Number(name.slice(4)) : 0
      const bytes = new Uint8Array(immediate).fill(0x5b)
      const drop = name.startsWith('SWAP') ? [] : ['POP']
      loads.push({ name, setup: repeat([LARGE], 17), body: [name, bytes, ...drop] })
      continue
    }
    const operands = OPERANDS[name] ?? Array.from({ length: taken }, () => LARGE)
    const copies = repeat([`DUP${taken}`], taken === 0 ? 0 : taken)
    const body = [...copies, name, ...repeat(['POP'], left)]
    loads.push({ name, setup: [...memory, ...operands], body })
  }
  return loads
}

/** Patterns that an opcode alone does not show: state touched for the first time, jumps, initcode. */
function patternLoads(): Load[] {
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

const PRECOMPILES: Readonly<Record<string, number>> = {
  ecRecover: 1,
  modexp_eip2565: 5,
  bn256Add: 6,
  bn256ScalarMul: 7,
  bn256Pairing: 8,
  blake2F: 9,
  pointEvaluation: 10,
  blsG1Add: 11,
  blsG1MultiExp: 12,
  blsG2Add: 13,
  blsG2MultiExp: 14,
  blsPairing: 15,
  blsMapG1: 16,
  blsMapG2: 17,
  p256Verify: 0x100,
}

function precompileLoad(name: string, address: number, input: Uint8Array): Load {
  const setup: Item[] = ['CALLDATASIZE', 0, 0, 'CALLDATACOPY']
  const body: Item[] = [0, 0, 'CALLDATASIZE', 0, address, 'GAS', 'STATICCALL', 'POP']
  return { name, setup, body, input }
}

/** Published inputs of the precompiles, taken evenly from each file, and inputs of the hashes. */
function precompileLoads(vectors: string): Load[] {
  const loads = [
    precompileLoad('SHA256', 2, new Uint8Array(119)),
    precompileLoad('RIPEMD160', 3, new Uint8Array(119)),
    precompileLoad('IDENTITY', 4, new Uint8Array(0)),
  ]
  const folder = join(vectors, 'precompiles', 'geth', 'core', 'vm', 'testdata', 'precompiles')
  if (!existsSync(folder)) return loads
  for (const file of readdirSync(folder)) {
    const name = file.replace('.json', '')
    const address = PRECOMPILES[name]
    if (address === undefined) continue
    const rows = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { Input: string }[]
    const every = Math.ceil(rows.length / TRIALS)
    for (const { Input } of rows.filter((_, index) => index % every === 0)) {
      loads.push(precompileLoad(name, address, parseData(`0x${Input}` as Hex)))
    }
  }
  return loads
}

/** JUMPDEST, the body many times, and a jump back. */
function makeLoop({ setup, body }: Load): Uint8Array {
  const start = assemble(...setup)
  const back = assemble(new Uint8Array([0x61, start.length >> 8, start.length & 0xff]), 'JUMP')
  const unrolled = assemble(...repeat(body, UNROLLED))
  return concatBytes([start, assemble('JUMPDEST'), unrolled, back])
}

interface Speed {
  readonly name: string
  readonly speed: number
}

/**
 * Mgas/s of a block full of each opcode and each precompile at the worst input that is known, slowest
 * first. A run ends when its gas does, so the gas includes what brings the operands.
 */
export async function runWorstBench(): Promise<void> {
  const vectors = vectorsFolder()
  const pairing = await WebAssembly.compile(await readModule('pairing'))
  const engine = await loadEngine(await readModule('engine'), { pairing })
  const measure = (load: Load, gas: bigint, runs: number): number => {
    const state = stateWith(makeLoop(load))
    const times: number[] = []
    for (let i = 0; i < runs; i++) {
      engine.beginBlock({ ...BLOCK, gasLimit: GAS, baseFee: 0n })
      const data = load.input ?? bigintToBytes(0n, 32)
      const input = transaction({ gas, maxFeePerGas: 0n, data })
      const start = performance.now()
      const outcome = executed(answerFrom(engine.transact(input), state))
      times.push(performance.now() - start)
      if (outcome.gasUsed !== gas) throw new Error(`${load.name} stops: ${outcome.error}`)
    }
    // The least: other load on the machine only ever adds
    return Number(gas) / Math.min(...times) / 1000
  }
  const results = new Map<string, Speed>()
  for (const load of [...opcodeLoads(), ...patternLoads()]) {
    results.set(load.name, { name: load.name, speed: measure(load, GAS, RUNS) })
  }
  const slowest = new Map<string, { load: Load; speed: number }>()
  for (const load of precompileLoads(vectors)) {
    const speed = measure(load, TRIAL_GAS, 1)
    const known = slowest.get(load.name)
    if (known === undefined || known.speed > speed) slowest.set(load.name, { load, speed })
  }
  for (const { load } of slowest.values()) {
    results.set(load.name, { name: load.name, speed: measure(load, GAS / 4n, RUNS) })
  }
  const sorted = [...results.values()].sort((a, b) => a.speed - b.speed)
  for (const { name, speed } of sorted) {
    console.log(
      JSON.stringify({ bench: 'worst', case: name, mgas_per_s: Number(speed.toPrecision(3)) }),
    )
  }
}
