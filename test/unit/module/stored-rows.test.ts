import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { formatData, hexDigits, parseData } from '../../../host/base/hex.ts'
import { loadEngine } from '../../../host/evm/engine/engine.ts'
import { compileEngine } from '../../../host/node/wasm.ts'
import { openCommitter } from '../../../host/storage/commit/lmdb-committer.ts'
import { devGenesis, MemoryChain } from '../../support/chain/memory-chain.ts'
import { buildCommitModule } from '../../support/engine/commit-module.ts'
import { callData, precompile } from '../../support/module/module-bench.ts'
import { Signer } from '../../support/module/signer.ts'
import { signDynamicFee } from '../../support/node/dev-wallet.ts'
import { openAt, temporaryDir } from '../storage/store/temporary-storage.ts'

const SIGNERS = Array.from({ length: 6 }, (_, i) => new Signer(`stored ${i}`))
const modules = await compileEngine()
const commitModule = new WebAssembly.Module(readFileSync(await buildCommitModule()))

/** Returns a transaction that associates the n-th signer. */
async function association(n: number): Promise<Uint8Array> {
  const signer = SIGNERS[n] as Signer
  const raw = await signDynamicFee(0, {
    nonce: n,
    to: formatData(precompile('addr')),
    data: formatData(callData('addr', 'associate', signer.sign(`${n}`))),
    gas: 300_000n,
    maxPriorityFeePerGas: 0n,
  })
  return parseData(raw)
}

function rowKey(prefix: number, address: Uint8Array): Uint8Array {
  const key = new Uint8Array(32)
  key[0] = prefix
  key.set(address, 1)
  return key
}

interface Stored {
  readonly appHashes: readonly string[]
  /** Number of addr rows after each height, from the module's store. */
  readonly rows: readonly number[]
  /** Whether each signer has its row at each height, from the EVM's view. */
  readonly seen: readonly string[]
}

async function run(evmSplit: boolean): Promise<Stored> {
  const dir = temporaryDir()
  const open = () => openAt(join(dir, 'data'), { evmSplit })
  let storage = await open()
  const committer = await openCommitter({ dir: join(dir, 'committer.db'), module: commitModule })
  onTestFinished(() => committer.close())
  const engine = await loadEngine(modules.engine, modules)
  const stores = { storage, committer }
  const chain = await MemoryChain.open(engine, { genesis: devGenesis(), stores })
  const appHashes = [hexDigits(await chain.initialise())]
  for (let n = 0; n < SIGNERS.length; n++) {
    const { receipts } = await chain.decide([await association(n)])
    expect(receipts.map(({ status }) => status)).toEqual([1])
    appHashes.push(hexDigits(await chain.application.info().lastBlockAppHash))
  }
  const look = () => {
    const heights = Array.from({ length: SIGNERS.length + 1 }, (_, height) => height)
    const store = storage.state.module('addr')
    return {
      rows: heights.map((height) => [...store.range({ height })].length),
      seen: heights.map((height) => {
        const view = storage.state.view(height)
        const row = (signer: Signer) => view.storage(precompile('addr'), rowKey(1, signer.evm))
        return SIGNERS.map((signer) => (row(signer) === undefined ? '.' : 'x')).join('')
      }),
    }
  }
  const before = look()
  await storage.close()
  storage = await open()
  onTestFinished(() => storage.close())
  expect(look()).toEqual(before)
  return { appHashes, ...before }
}

describe('the stored rows of a module', () => {
  test('are the same with and without the split, at every height, before and after a restart', async () => {
    const together = await run(false)
    expect(together.rows).toEqual([0, 2, 4, 6, 8, 10, 12])
    expect(together.seen).toEqual([
      '......',
      'x.....',
      'xx....',
      'xxx...',
      'xxxx..',
      'xxxxx.',
      'xxxxxx',
    ])
    expect(new Set(together.appHashes).size).toBe(SIGNERS.length + 1)
    expect(await run(true)).toEqual(together)
  })
})
