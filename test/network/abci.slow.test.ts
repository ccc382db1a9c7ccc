import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { formatData, hexDigits, parseData } from '../../host/base/hex.ts'
import type { AbciServer } from '../../host/chain/consensus/abci/abci-server.ts'
import { sha256 } from '../../host/chain/consensus/comet/sha256.ts'
import { transactionEvents } from '../../host/chain/consensus/events/transaction-events.ts'
import type { BlockHeader } from '../../host/evm/chain-types/block.ts'
import { nobleRecovery } from '../../host/evm/chain-types/noble-recovery.ts'
import type { Receipt } from '../../host/evm/chain-types/receipt.ts'
import { serveChain } from '../support/abci/abci-chain.ts'
import { devGenesis, MemoryChain } from '../support/chain/memory-chain.ts'
import { compileEngine, openEngine } from '../support/engine/engine-module.ts'
import { COMETBFT } from '../support/node/cometbft.ts'
import { devAccount, signDynamicFee } from '../support/node/dev-wallet.ts'
import { until } from '../support/until.ts'
import { type AbciComet, initComet, startAbciComet } from './nodes/abci-comet.ts'

if (COMETBFT === undefined) console.log('skipped: LOCKSTEP_COMETBFT names no cometbft')

describe.skipIf(COMETBFT === undefined)('an application that CometBFT drives over a socket', () => {
  const program = COMETBFT as string
  let dir: string
  let chain: MemoryChain
  let server: AbciServer
  let comet: AbciComet
  const failures: string[] = []
  const sockets: WebSocket[] = []

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
  })

  afterAll(async () => {
    for (const socket of sockets) socket.terminate()
    await comet?.stop()
    await server?.close()
    rmSync(dir, { recursive: true, force: true })
  })

  const sign = async (nonce: number, fields: object): Promise<Uint8Array> =>
    parseData(await signDynamicFee(0, { gas: 100_000n, nonce, ...fields }))

  test('makes blocks, and searches and subscriptions find a transaction by the same events as on our own routes', async () => {
    await until(() => {
      if (comet.hasEnded()) throw new Error(comet.output() + failures.join('\n'))
      return chain.height >= 3
    })
    const sender = devAccount(0).address.toLowerCase()
    const heard = await listen(`tm.event='Tx' AND evm_log.topic0='0x${'00'.repeat(31)}2a'`)
    const transactions = [
      await sign(0, { to: devAccount(1).address, value: 5n }),
      // Init code with LOG1 and topic 42, and a creation that fails.
      await sign(1, { data: '0x602a60006000a1' }),
      await sign(2, { data: '0xfe' }),
    ]
    for (const raw of transactions) {
      const tx = Buffer.from(raw).toString('base64')
      expect(await comet.call('broadcast_tx_sync', { tx })).toMatchObject({ code: 0 })
    }
    const hashes = transactions.map((raw) => sha256(raw))
    const found = async (query: string) => {
      const { txs } = await comet.call<Found>('tx_search', { query, order_by: 'asc' })
      return txs.map(({ tx_result }) => tx_result)
    }
    await until(async () => (await found(`message.sender='${sender}'`)).length === 3)

    const { chain: stored } = chain.storage
    const receiptOf = (raw: Uint8Array) => {
      const { height, index } = stored.locate(nobleRecovery.keccak256(raw)) ?? {
        height: 0,
        index: 0,
      }
      return stored.receipts(height)?.[index] as Receipt
    }
    const expected = transactions.map((raw) => {
      const receipt = receiptOf(raw)
      return {
        code: receipt.status === 1 ? 0 : 1,
        log: receipt.status === 1 ? '' : 'execution failed',
        codespace: receipt.status === 1 ? '' : 'evm',
        gas_used: String(receipt.gasUsed),
        events: transactionEvents(raw, receipt),
      }
    })
    expect(expected.map(({ code }) => code)).toEqual([0, 0, 1])
    const results = await Promise.all(
      hashes.map((hash) =>
        comet.call<{ readonly tx_result: object }>('tx', {
          hash: Buffer.from(hash).toString('base64'),
        }),
      ),
    )
    for (const [i, { tx_result }] of results.entries())
      expect(tx_result).toMatchObject(expected[i] as object)

    const [paid, logged, failed] = expected
    expect(await found(`transfer.sender='${sender}'`)).toMatchObject([paid])
    expect(await found('transfer.amount=5')).toMatchObject([paid])
    expect(await found(`evm_log.topic0='0x${'00'.repeat(31)}2a'`)).toMatchObject([logged])
    expect(await found("message.status='0'")).toMatchObject([failed])
    const { transactionHash } = receiptOf(transactions[1] as Uint8Array)
    expect(await found(`message.hash='${formatData(transactionHash)}'`)).toMatchObject([logged])
    // The attribute is in the event but not indexed, so no search finds it.
    expect(await found("evm_log.data='0x'")).toEqual([])

    await until(() => heard.length > 0)
    expect(heard).toMatchObject([{ TxResult: { result: { gas_used: logged?.gas_used } } }])
    expect(failures).toEqual([])
  })

  test('continues the same chain after CometBFT was killed and restarted', async () => {
    await comet.stop('SIGKILL')
    const height = chain.height
    comet = await startAbciComet(program, dir, chain.genesis, join(dir, 'app.sock'))
    await until(() => {
      if (comet.hasEnded()) throw new Error(comet.output() + failures.join('\n'))
      return chain.height >= height + 2
    })
    for (let at = 2; at <= chain.height - 1; at++) {
      type Found = {
        readonly block_id: { readonly hash: string }
        readonly block: { readonly header: Readonly<Record<string, string>> }
      }
      const { block_id, block } = await comet.call<Found>('block', { height: String(at) })
      const header = chain.storage.chain.header(at)
      const { stateRoot, transactionsRoot, receiptsRoot, hash } = header as BlockHeader
      expect([hash, stateRoot, transactionsRoot, receiptsRoot].map(upper)).toEqual([
        block_id.hash,
        block.header.app_hash,
        block.header.data_hash,
        block.header.last_results_hash,
      ])
    }
    expect(failures).toEqual([])
  })

  /** Subscribes, and returns a list to which events are added. */
  async function listen(query: string): Promise<object[]> {
    const heard: object[] = []
    const socket = new WebSocket(`${comet.url.replace('http', 'ws')}/websocket`)
    await new Promise((resolve) => socket.once('open', resolve))
    const confirmed = new Promise<void>((resolve) => {
      socket.on('message', (text) => {
        const { result } = JSON.parse(String(text))
        if (result.data === undefined) resolve()
        else heard.push(result.data.value)
      })
    })
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params: { query } }))
    await confirmed
    sockets.push(socket)
    return heard
  }
})

interface Found {
  readonly txs: readonly { readonly tx_result: object }[]
}

const upper = (bytes: Uint8Array) => hexDigits(bytes).toUpperCase()
