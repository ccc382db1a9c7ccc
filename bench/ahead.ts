import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bigintToBytes, concatBytes } from '../host/base/bytes.ts'
import { SpeculationPool } from '../host/chain/consensus/ahead/speculation-pool.ts'
import { genesisBlock } from '../host/chain/consensus/state-machine/genesis-block.ts'
import { presetGenesis } from '../host/evm/chain-types/genesis-presets.ts'
import type { Transaction } from '../host/evm/chain-types/transaction.ts'
import { decodeTransaction } from '../host/evm/chain-types/transaction-codec.ts'
import { loadEngine } from '../host/evm/engine/engine.ts'
import { executeBlock } from '../host/evm/execute/lockstep/block.ts'
import { blockEnv } from '../host/evm/execute/lockstep/block-env.ts'
import { withPrecompileAccounts } from '../host/evm/execute/lockstep/precompile-accounts.ts'
import { allocationDiff } from '../host/evm/state/allocation.ts'
import { compileEngine } from '../host/node/wasm.ts'
import type { NodeStorage } from '../host/storage/store/node-storage.ts'
import { openStorage } from '../host/storage/store/open-storage.ts'
import type { StoragePublisher } from '../host/storage/store/reader/storage-publisher.ts'
import { BUSY_CODE } from '../test/support/ahead/busy-blocks.ts'
import { encodeFrom, senderInR } from '../test/support/engine/unsigned-sender.ts'
import { account } from '../test/support/module/module-bench.ts'
import { median } from './statistics.ts'

const BLOCKS = 12
/** Warm-up blocks. */
const WARM = 3
const TRANSACTIONS = 400
const CONTRACT = bigintToBytes(0xc0den, 20)
const GENESIS = presetGenesis('1329', { time: 0n, validators: [] })
const { params } = GENESIS

interface Case {
  readonly name: string
  readonly senders: number
  /** Hashes per transaction, each some 0.4 us; 0 for plain transfers. */
  readonly hashes: number
  /** Every `hotEvery`-th transaction writes the same slot; 0 for none. */
  readonly hotEvery: number
}

const CASES: readonly Case[] = [
  { name: 'one a sender, 0.5 ms each', senders: TRANSACTIONS, hashes: 1000, hotEvery: 0 },
  { name: 'one a sender, 0.06 ms each', senders: TRANSACTIONS, hashes: 200, hotEvery: 0 },
  { name: 'one a sender, 0.02 ms each', senders: TRANSACTIONS, hashes: 20, hotEvery: 0 },
  { name: 'transfers, one a sender', senders: TRANSACTIONS, hashes: 0, hotEvery: 0 },
  { name: 'ten senders in turn, 0.5 ms each', senders: 10, hashes: 1000, hotEvery: 0 },
  {
    name: 'one of five in conflict, 0.5 ms each',
    senders: TRANSACTIONS,
    hashes: 1000,
    hotEvery: 5,
  },
  { name: 'all in conflict, 0.5 ms each', senders: TRANSACTIONS, hashes: 1000, hotEvery: 1 },
]

const senderAt = (index: number) => bigintToBytes(0x5e4de40000n + BigInt(index), 20)

function transactionsOf({ senders, hashes, hotEvery }: Case): Transaction[] {
  return Array.from({ length: TRANSACTIONS }, (_, i) => {
    const isHot = hotEvery > 0 && i % hotEvery === 0
    const data = concatBytes([
      bigintToBytes(BigInt(hashes), 32),
      bigintToBytes(isHot ? 1n : 0n, 32),
    ])
    const nonce = BigInt(Math.floor(i / senders))
    const { chainId } = params
    const fields =
      hashes === 0
        ? { nonce, gas: 21_000n, to: senderAt(TRANSACTIONS + i), value: 1n, chainId }
        : { nonce, gas: 250_000n, to: CONTRACT, data, chainId }
    return decodeTransaction(encodeFrom(senderAt(i % senders), fields), senderInR)
  })
}

/** Opens a store with the state before the blocks, height 0. */
async function openState(dir: string, senders: number): Promise<NodeStorage> {
  const storage = await openStorage({
    dir,
    backend: 'lmdb',
    evmSplit: false,
    evmSeparateDbs: true,
    keepRecent: 0,
    retainBlocks: 0,
    flushInterval: 1,
  })
  const accounts = withPrecompileAccounts([
    account(CONTRACT, 0n, BUSY_CODE),
    ...Array.from({ length: senders }, (_, i) => account(senderAt(i), 10n ** 24n)),
  ])
  const evm = allocationDiff(accounts, keccak_256)
  const block = genesisBlock(GENESIS, new Uint8Array(32), keccak_256)
  await storage.append({
    executed: { block, transactionHashes: [], receipts: [] },
    changeset: { height: 0, evm, legacy: [], modules: [] },
  })
  await storage.settle()
  return storage
}

/** Returns the CPU milliseconds of the main thread; Linux only. */
function processorMs(): number {
  const text = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8')
  return Number(text.split(' ')[0]) / 1e6
}

/** Returns how long a block of transactions takes with `threads` threads besides the main thread. */
async function measure(one: Case, count: number): Promise<object> {
  const modules = await compileEngine()
  const engine = await loadEngine(modules.engine, modules)
  const phases = { adopted: 0, repeated: 0 }
  const onError = (error: Error) => {
    throw error
  }
  const dir = mkdtempSync(join(tmpdir(), 'lockstep-bench-ahead-'))
  const storage = await openState(dir, one.senders)
  const states = storage.publisher as StoragePublisher
  const threads =
    count === 0 ? undefined : new SpeculationPool({ count, modules, states, phases, onError })
  const transactions = transactionsOf(one)
  const view = storage.state.view(0)
  const header = {
    number: 1,
    timestamp: 1_700_000_000,
    gasLimit: 1_000_000_000n,
    baseFeePerGas: 7n,
    miner: params.feeCollector,
    prevRandao: new Uint8Array(32),
  }
  const env = blockEnv(params, header)
  const keccak256 = (bytes: Uint8Array) => engine.keccak256(bytes)
  const walls: number[] = []
  const processors: number[] = []
  let adopted = 0
  for (let block = 0; block < BLOCKS; block++) {
    const [wall, processor, before] = [performance.now(), processorMs(), phases.adopted]
    const ahead = threads?.begin(env, () => transactions)
    const context = { engine, env, keccak256, view, ahead }
    const { included } = await executeBlock(
      { ...context, pause: () => setImmediate() },
      transactions,
    )
    ahead?.end()
    if (included.length !== TRANSACTIONS) throw new Error(`${included.length} are in the block`)
    if (block >= WARM) {
      walls.push(performance.now() - wall)
      processors.push(processorMs() - processor)
      adopted += phases.adopted - before
    }
    await setImmediate()
  }
  await threads?.close()
  await storage.close()
  rmSync(dir, { recursive: true })
  const share = adopted / TRANSACTIONS / (BLOCKS - WARM)
  return {
    case: one.name,
    threads: count,
    blockMs: Number(median(walls).toFixed(1)),
    chainThreadMs: Number(median(processors).toFixed(1)),
    adopted: Number(share.toFixed(2)),
  }
}

/** Prints one JSON line per case and number of threads. */
export async function runAheadBench(args: readonly string[]): Promise<void> {
  const counts = args.length === 0 ? [0, 1] : args.map(Number)
  for (const one of CASES) {
    for (const count of counts) console.log(JSON.stringify(await measure(one, count)))
  }
}
