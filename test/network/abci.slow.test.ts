import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseData } from '../../host/base/hex.ts'
import type { AbciServer } from '../../host/consensus/abci/abci-server.ts'
import { serveChain } from '../support/abci/abci-chain.ts'
import { devGenesis, MemoryChain } from '../support/chain/memory-chain.ts'
import { compileEngine, openEngine } from '../support/engine/engine-module.ts'
import { type AbciComet, initComet, startAbciComet } from '../support/node/abci-comet.ts'
import { COMETBFT } from '../support/node/cometbft.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { until } from '../support/until.ts'

if (COMETBFT === undefined) console.log('skipped: LOCKSTEP_COMETBFT names no cometbft')

describe.skipIf(COMETBFT === undefined)('an application that CometBFT drives over a socket', () => {
  const program = COMETBFT as string
  let dir: string
  let chain: MemoryChain
  let server: AbciServer
  let comet: AbciComet
  const failures: string[] = []

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'abci-'))
    const publicKey = initComet(program, dir)
    const genesis = { ...devGenesis(), validators: [{ publicKey, power: 10, name: 'one' }] }
    chain = await MemoryChain.open(await openEngine(await compileEngine()), { genesis })
    const socket = join(dir, 'app.sock')
    server = await serveChain(chain, socket, (error, method) =>
      failures.push(`${method}: ${error.message}`),
    )
    comet = await startAbciComet(program, dir, genesis, socket)
  }, 120_000)

  afterAll(async () => {
    await comet?.stop()
    await server?.close()
    rmSync(dir, { recursive: true, force: true })
  })

  test('makes blocks, and includes a transaction that its RPC was given', async () => {
    await until(() => {
      if (comet.hasEnded()) throw new Error(comet.output() + failures.join('\n'))
      return chain.height >= 3
    })
    const raw = await devAccount(0).signTransaction({
      type: 'eip1559',
      chainId: 31337,
      gas: 21_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 10n ** 9n,
      nonce: 0,
      to: devAccount(1).address,
      value: 5n,
    })
    const tx = Buffer.from(parseData(raw)).toString('base64')
    const committed = await comet.call<{ height: string }>('broadcast_tx_commit', { tx })
    expect(committed).toMatchObject({
      check_tx: { code: 0 },
      tx_result: { code: 0, gas_used: '21000' },
    })
    const height = Number(committed.height)
    await until(() => chain.height > height + 1)
    const found = await comet.call<{ total_count: string }>('tx_search', {
      query: `transfer.sender='${devAccount(0).address.toLowerCase()}'`,
    })
    expect(found.total_count).toBe('1')
    expect(failures).toEqual([])
  })
})
