import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bigintToBytes, concatBytes, EMPTY_BYTES } from '../../host/base/bytes.ts'
import { hexDigits } from '../../host/base/hex.ts'
import type { AbciServer } from '../../host/chain/consensus/abci/abci-server.ts'
import { hashTransactions } from '../../host/chain/consensus/comet/block.ts'
import { decodeBlockResults, hashResults } from '../../host/chain/consensus/comet/block-results.ts'
import { sha256 } from '../../host/chain/consensus/comet/sha256.ts'
import { decodeEthereumBlock } from '../../host/evm/chain-types/ethereum-block.ts'
import type { Genesis } from '../../host/evm/chain-types/genesis.ts'
import { loadEngine } from '../../host/evm/engine/engine.ts'
import type { BlockEngine } from '../../host/evm/execute/block-engine.ts'
import { compileEngine } from '../../host/node/wasm.ts'
import {
  type FixtureState,
  parseBytes,
  parseNumber,
  parseWord,
  revisionOf,
} from '../conformance/fixture.ts'
import { applicationOf, serveChain } from '../support/abci/abci-chain.ts'
import {
  AbciPeer,
  ANSWER,
  commit,
  fieldOf,
  finalizeBlock,
  initChain,
  textOf,
} from '../support/abci/abci-peer.ts'
import { devGenesis, GENESIS_TIME, MemoryChain } from '../support/chain/memory-chain.ts'
import { NO_VECTORS, VECTORS } from '../support/vectors.ts'

/** The fields of a blockchain test that are used here. */
interface BlockchainCase {
  readonly network: string
  readonly pre: FixtureState
  readonly blocks: readonly { readonly rlp: string }[]
}

const FOLDERS = ['blockchain-tests-eest', 'ethereum-tests-blockchain']
/** Files of each folder, evenly spread over its paths. */
const FILES = 60
const CASES_OF_FILE = 3
const MAX_FILE_BYTES = 300_000

/** Returns vector files, the same in every run. */
function listFiles(): string[] {
  return FOLDERS.flatMap((name) => {
    const folder = join(VECTORS as string, name)
    const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.json'))
      .map((path) => join(folder, path))
      .filter((path) => statSync(path).size < MAX_FILE_BYTES)
      .sort()
    const step = all.length / FILES
    return Array.from({ length: FILES }, (_, i) => all[Math.floor(i * step)] as string)
  })
}

function* casesOf(path: string): Generator<BlockchainCase> {
  const content: Record<string, BlockchainCase> = JSON.parse(readFileSync(path, 'utf8'))
  const cases = Object.values(content).filter((each) => Array.isArray(each?.blocks))
  // The latest revisions come last, and a new chain starts with those.
  yield* cases.slice(-CASES_OF_FILE)
}

/** Returns the transactions of a block, or none if it is invalid RLP. */
function transactionsOf({ rlp }: { readonly rlp: string }): readonly Uint8Array[] {
  try {
    return decodeEthereumBlock(parseBytes(rlp)).transactions
  } catch {
    return [parseBytes(rlp)]
  }
}

/** Returns a genesis with the accounts and revision of a case, and a base fee that its gas prices cover. */
function genesisOf({ network, pre }: BlockchainCase): Genesis | undefined {
  const revision = revisionOf(network)
  if (revision === undefined) return undefined
  const genesis = devGenesis()
  const feeMarket = {
    initialBaseFee: 7n,
    minBaseFee: 7n,
    maxBaseFee: 7n,
    targetGas: 1_000_000n,
    maxUpward: 0n,
    maxDownward: 0n,
  }
  const accounts = Object.entries(pre).map(([address, account]) => ({
    address: parseBytes(address),
    balance: parseNumber(account.balance ?? ''),
    nonce: parseNumber(account.nonce ?? ''),
    code: parseBytes(account.code ?? ''),
    storage: Object.entries(account.storage ?? {}).map(([slot, value]) => ({
      slot: parseWord(slot),
      value: parseWord(value),
    })),
  }))
  const params = { ...genesis.params, chainId: 1n, revision, feeMarket }
  return { ...genesis, params, accounts }
}

/** Returns a decided block with arbitrary hash, time and proposer. */
function decided(height: number, transactions: readonly Uint8Array[]) {
  const place = bigintToBytes(BigInt(height), 8)
  return {
    height,
    time: GENESIS_TIME + BigInt(height) * 400_000_000n,
    hash: sha256(concatBytes([place, ...transactions])),
    proposerAddress: sha256(place).subarray(0, 20),
    transactions,
  }
}

interface Counts {
  blocks: number
  included: number
  excluded: number
}

if (VECTORS === undefined) console.log(NO_VECTORS)

describe.skipIf(VECTORS === undefined)('the blocks of the published tests', () => {
  let dir: string
  let engines: readonly [BlockEngine, BlockEngine]
  let server: AbciServer
  let peer: AbciPeer
  const failures: string[] = []

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'abci-'))
    const { engine, pairing, chainModules } = await compileEngine()
    const open = () => loadEngine(engine, { pairing, chainModules })
    engines = [await open(), await open()]
    const idle = await MemoryChain.open(engines[1])
    server = await serveChain(idle, join(dir, 'app.sock'), (error, method) =>
      failures.push(`${method}: ${error.message}`),
    )
    peer = await AbciPeer.connect(join(dir, 'app.sock'))
  })

  afterAll(async () => {
    peer?.socket.destroy()
    await server?.close()
    rmSync(dir, { recursive: true, force: true })
  })

  async function call(message: Uint8Array): Promise<Uint8Array> {
    const before = peer.answers.length
    peer.send(message)
    const answer = (await peer.receive(before + 1))[before]
    if (answer === undefined) throw new Error(`the connection ended: ${failures}`)
    if (answer.field === ANSWER.exception) throw new Error(textOf(answer))
    return answer.message
  }

  async function runCase(each: BlockchainCase, genesis: Genesis, counts: Counts): Promise<void> {
    const direct = await MemoryChain.open(engines[0], { genesis })
    const served = await MemoryChain.open(engines[1], { genesis })
    server.switchTo(applicationOf(served))
    let appHash = await direct.initialise()
    const begun = await call(initChain(genesis.consensusChainId, genesis.time))
    expect(hexDigits(fieldOf(begun, 3))).toBe(hexDigits(appHash))
    let parentHash = EMPTY_BYTES
    let lastResultsHash = hashResults([])
    for (const [index, block] of each.blocks.entries()) {
      const request = decided(index + 1, transactionsOf(block))
      const finalized = await direct.application.finalizeBlock({
        ...request,
        parentHash,
        dataHash: hashTransactions(request.transactions),
        lastResultsHash,
        appHash,
        misbehavior: [],
        votes: [],
      })
      const answer = await call(finalizeBlock(request))
      await direct.application.commit()
      await call(commit())
      appHash = await finalized.appHash
      expect(hexDigits(fieldOf(answer, 5))).toBe(hexDigits(appHash))
      expect(decodeBlockResults(answer)).toEqual(finalized.txResults)
      const { chain } = direct.storage
      expect(served.storage.chain.block(request.height)).toEqual(chain.block(request.height))
      expect(served.storage.chain.receipts(request.height)).toEqual(chain.receipts(request.height))
      parentHash = request.hash
      lastResultsHash = hashResults(finalized.txResults)
      const included = finalized.receipts.length
      counts.blocks++
      counts.included += included
      counts.excluded += request.transactions.length - included
    }
  }

  test('give the same app hashes, results, receipts and headers through ABCI as without it', async () => {
    const counts: Counts = { blocks: 0, included: 0, excluded: 0 }
    for (const path of listFiles()) {
      for (const each of casesOf(path)) {
        const genesis = genesisOf(each)
        if (genesis === undefined) continue
        await runCase(each, genesis, counts).catch((error) => {
          throw new Error(`${path}: ${error.message}`, { cause: error })
        })
      }
    }
    expect(failures).toEqual([])
    expect(counts.blocks).toBeGreaterThan(200)
    expect(counts.included).toBeGreaterThan(200)
    expect(counts.excluded).toBeGreaterThan(0)
  }, 300_000)
})
