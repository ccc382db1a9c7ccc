import { afterEach, describe, expect, test } from 'vitest'
import type { Hex } from '../../host/base/hex.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import type { RawResponse } from '../support/node/raw-socket.ts'
import { type GateNode, PAY_TO, PRICE, startGateNode } from '../support/payments/gate-node.ts'
import { firstVersionProof, header64 } from '../support/payments/hand-made-proof.ts'
import { until } from '../support/until.ts'
import { expectServed, paymentOf } from './expectations.ts'

const TARGET = '/x402/weather'
const SETTLER = devAccount(8).address
/** keccak256 of `AuthorizationUsed(address,bytes32)`. */
const USED: Hex = '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'

describe('the settler of the daemon', () => {
  const homes: string[] = []
  let gate: GateNode | undefined

  afterEach(async () => {
    await gate?.daemon.stop().catch(() => {})
    for (const home of homes.splice(0)) removeHome(home)
  })

  async function start(home: string, blockTime: string): Promise<GateNode> {
    if (!homes.includes(home)) homes.push(home)
    gate = await startGateNode(home, ['--consensus.block-time', blockTime])
    return gate
  }

  /** Returns authorizations of four payers in turn, as values of the header `X-PAYMENT`. */
  async function sign(by: GateNode, count: number): Promise<string[]> {
    const payers = [0, 1, 2, 3].map((index) => by.payer(index))
    return Promise.all(
      Array.from({ length: count }, async (_, at) => {
        const payer = payers[at % payers.length] as (typeof payers)[number]
        const authorization = await payer.authorize({ to: PAY_TO, value: PRICE })
        return header64(firstVersionProof(by.network, authorization))
      }),
    )
  }

  const show = (by: GateNode, proofs: readonly string[]): Promise<RawResponse>[] =>
    proofs.map((proof) => by.ask('GET', TARGET, [['x-payment', proof]]))

  async function settlerNonce(by: GateNode, at: 'latest' | 'pending'): Promise<number> {
    return Number(await by.rpcCall('eth_getTransactionCount', [SETTLER, at]))
  }

  async function tokensOfPayee(by: GateNode): Promise<bigint> {
    return by.payer(9).balance()
  }

  test('settles 256 concurrent authorizations, several in a block and each in one transaction', async () => {
    const by = await start(makeHome(), '400ms')
    const before = await tokensOfPayee(by)
    const answers = await Promise.all(show(by, await sign(by, 256)))
    for (const answer of answers) expectServed(answer)
    const hashes = new Set(answers.map(paymentOf))
    expect(hashes.size).toBe(256)
    expect(await settlerNonce(by, 'latest')).toBe(256)
    expect((await tokensOfPayee(by)) - before).toBe(256n * PRICE)
    const used = await by.rpcCall<{ blockNumber: Hex }[]>('eth_getLogs', [
      { address: by.token, topics: [USED], fromBlock: '0x0' },
    ])
    // A single block on an idle machine, some sixty on a busy one
    expect(new Set(used.map(({ blockNumber }) => blockNumber)).size).toBeLessThan(128)
  })

  test('serves each of 48 settlements once after it was killed while they were in the pool', async () => {
    const home = makeHome()
    // Slow blocks, so that the kill comes before the next one on a busy machine, too.
    const first = await start(home, '60s')
    const proofs = await sign(first, 48)
    const before = await tokensOfPayee(first)
    const cut = Promise.allSettled(show(first, proofs))
    await until(async () => (await settlerNonce(first, 'pending')) === 48)
    await first.daemon.stop('SIGKILL')
    expect((await cut).every(({ status }) => status === 'rejected')).toBe(true)

    const second = await start(home, '100ms')
    const answers = await Promise.all(show(second, proofs))
    for (const answer of answers) expectServed(answer)
    expect((await tokensOfPayee(second)) - before).toBe(48n * PRICE)
    expect(await settlerNonce(second, 'latest')).toBe(48)
    for (const answer of await Promise.all(show(second, proofs))) {
      expect(JSON.parse(answer.body)).toMatchObject({ invalidReason: 'payment_spent' })
    }
  })
})
