import { parseArgs } from 'node:util'
import { bigintToBytes, concatBytes } from '../host/base/bytes.ts'
import { parseData } from '../host/base/hex.ts'
import type { Transaction } from '../host/evm/chain-types/transaction.ts'
import { type Engine, loadEngine } from '../host/evm/engine/engine.ts'
import { answerFrom } from '../host/evm/state/answer.ts'
import { Disposables } from '../host/node/disposables.ts'
import { openCompiledCode } from '../host/node/open/region-compiling-thread.ts'
import { readModule } from '../host/node/wasm.ts'
import type { TestState } from '../test/support/chain/test-state.ts'
import { compile } from '../test/support/contracts/solidity.ts'
import { BENCH_CASES } from '../test/support/engine/bench-cases.ts'
import { BLOCK, SENDER, stateWith, transaction } from '../test/support/engine/engine-fixture.ts'
import { summingLoop } from '../test/support/engine/summing-loop.ts'
import { median, quantile } from './statistics.ts'

/** Runs of each case. A block's time is the least of them. */
const RUNS = 5
const CONTRACTS = 5000
const BATCH = 100
const GAS_LIMIT = 1n << 50n

interface Case {
  readonly name: string
  /** Number of blocks. */
  readonly blocks: number
  readonly state: () => TestState
  /** Calls of a block: contracts and their input. */
  readonly callsOf: (block: number) => readonly (readonly [to: Uint8Array, data: Uint8Array])[]
}

const addressOf = (index: number) => bigintToBytes(0x100000n + BigInt(index), 20)
const word = (value: bigint) => bigintToBytes(value, 32)

function runtimeOf(name: string): Uint8Array {
  const row = BENCH_CASES.find((one) => one.name === name)
  if (row === undefined) throw new Error(`no case ${name} in bench/cases.json`)
  return parseData(row.runtime)
}

/** Code that another number makes different, behind its end. */
function numbered(code: Uint8Array, index: number): Uint8Array {
  return concatBytes([code, bigintToBytes(BigInt(index), 4)])
}

/** Deploys the token, which SENDER owns, and returns its address with the state. */
async function deployToken(): Promise<readonly [TestState, Uint8Array]> {
  const contract = compile('Token.sol').get('Token')
  if (contract === undefined) throw new Error('Token.sol has no Token')
  const state = stateWith(new Uint8Array())
  const engine = await loadEngine(await readModule('engine'))
  engine.beginBlock({ ...BLOCK, baseFee: 0n })
  const data = concatBytes([parseData(contract.bytecode), word(10n ** 24n)])
  const input = transaction({ to: undefined, data, maxFeePerGas: 0n, gas: 3_000_000n })
  const outcome = answerFrom(engine.transact(input), state)
  if (outcome.kind !== 'executed' || outcome.createdAddress === undefined) {
    throw new Error('the token was not deployed')
  }
  state.apply(engine.diff())
  // The blocks begin with nonce 0
  state.setAccount(SENDER, 0n, 10n ** 24n, new Uint8Array())
  return [state, outcome.createdAddress]
}

const selector = (text: string) => parseData(`0x${text}`)

async function listCases(): Promise<readonly Case[]> {
  const [deployed, token] = await deployToken()
  const transfer = (to: number) =>
    concatBytes([selector('a9059cbb'), new Uint8Array(12), addressOf(to), word(1n)])
  // Contracts that do little, and one that loops for some microseconds
  const sources = ['main/swap_math#2', 'erc20-mint', 'micro/jump_around', 'main/sha1_shifts']
  const runtimes = sources.map(runtimeOf)
  const inputs = sources.map((name) => {
    const row = BENCH_CASES.find((one) => one.name === name)
    // Of the contract with loops of thousands of turns only the dispatcher runs
    return name === 'erc20-mint' ? selector('06fdde03') : parseData(row?.calldata ?? '0x')
  })
  const withContracts = (count: number, codeOf: (index: number) => Uint8Array) => {
    const state = stateWith(new Uint8Array())
    for (let i = 0; i < count; i++) state.setAccount(addressOf(i), 1n, 0n, codeOf(i))
    return () => state
  }
  const mixed = withContracts(CONTRACTS, (i) => numbered(runtimes[i % 4] as Uint8Array, i))
  const hot = withContracts(2 * CONTRACTS, (i) => summingLoop(i + 1, 9000))
  const callsFrom = (count: number, block: number) =>
    Array.from({ length: BATCH }, (_, i) => (block * BATCH + i) % count)
  return [
    {
      name: 'ERC-20 transfers',
      blocks: 200,
      state: () => deployed,
      callsOf: (block) => callsFrom(1e9, block).map((i) => [token, transfer(i)]),
    },
    {
      name: 'first calls of 5,000 codes',
      blocks: CONTRACTS / BATCH,
      state: mixed,
      callsOf: (block) =>
        callsFrom(CONTRACTS, block).map((i) => [addressOf(i), inputs[i % 4] as Uint8Array]),
    },
    {
      name: '5,000 codes, called in turn',
      blocks: (4 * CONTRACTS) / BATCH,
      state: mixed,
      callsOf: (block) =>
        callsFrom(CONTRACTS, block * 37).map((i) => [addressOf(i), inputs[i % 4] as Uint8Array]),
    },
    {
      name: '10,000 contracts, each with a hot loop',
      blocks: (2 * CONTRACTS) / BATCH,
      state: hot,
      callsOf: (block) =>
        callsFrom(2 * CONTRACTS, block).map((i) => [addressOf(i), new Uint8Array()]),
    },
  ]
}

function transactionsOf(row: Case, block: number): readonly Transaction[] {
  return row.callsOf(block).map(([to, data], i) => ({
    ...transaction({ to, data, nonce: BigInt(i), maxFeePerGas: 0n, gas: 4_000_000n }),
    ...{ chainId: 1n, v: 0n, yParity: 0, r: 1n, s: 1n, raw: new Uint8Array(100) },
    hash: word(BigInt(block * BATCH + i)),
  }))
}

/** Returns the milliseconds of a block, which is not applied to the state. */
function runBlock(engine: Engine, row: Case, block: number): number {
  const transactions = transactionsOf(row, block)
  const state = row.state()
  const started = performance.now()
  engine.beginBlock({ ...BLOCK, baseFee: 0n, gasLimit: GAS_LIMIT })
  const { fault, included } = answerFrom(engine.executeBatch(transactions), state)
  engine.diff()
  const ms = performance.now() - started
  if (fault !== undefined || included !== BATCH) throw fault ?? new Error(`${included} included`)
  return ms
}

/** Lets the answers of the compiling thread arrive. */
const nextTask = () => new Promise((resolve) => setImmediate(resolve))

const round = (value: number) => Number(value.toPrecision(3))

/**
 * Prints the time of blocks of 100 calls without and with compiled code, as in a node: another thread compiles, by the
 * default thresholds. Both engines run each block in turn.
 */
export async function runCompiledBench(args: readonly string[]): Promise<void> {
  const options = { filter: { type: 'string', default: '' } } as const
  const { values } = parseArgs({ args: [...args], options })
  const load = async (name: 'engine' | 'compile') => new WebAssembly.Module(await readModule(name))
  const engine = await load('engine')
  const closers = new Disposables()
  const onDeath = (error: Error) => console.error(error.message)
  const settings = { compiler: await load('compile') }
  const modules = { engine, compiledCode: settings } as Parameters<typeof openCompiledCode>[0]
  const compiledCode = openCompiledCode(modules, onDeath, closers)
  try {
    for (const row of (await listCases()).filter(({ name }) => name.includes(values.filter))) {
      const least = [new Array<number>(row.blocks), new Array<number>(row.blocks)] as const
      let compiled: Engine['compiledCode']
      for (let run = 0; run < RUNS; run++) {
        const engines = [await loadEngine(engine), await loadEngine(engine, { compiledCode })]
        for (let block = 0; block < row.blocks; block++) {
          for (const [i, one] of engines.entries()) {
            const times = least[i] as number[]
            times[block] = Math.min(
              times[block] ?? Number.POSITIVE_INFINITY,
              runBlock(one, row, block),
            )
            await nextTask()
          }
        }
        compiled = engines[1]?.compiledCode
      }
      for (const [i, times] of least.entries()) {
        console.log(
          JSON.stringify({
            bench: 'compiled',
            case: row.name,
            code: i === 0 ? 'interpreted' : 'compiled',
            ms: round(median(times)),
            p99_ms: round(quantile(times, 0.99)),
            ...(i === 0 ? {} : compiled),
          }),
        )
      }
    }
  } finally {
    await closers.close()
  }
}
