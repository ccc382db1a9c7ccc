import { parseArgs } from 'node:util'
import { makeHome, removeHome } from '../test/support/node/daemon.ts'
import { devAccount } from '../test/support/node/dev-wallet.ts'
import type { WalletApp } from '../test/support/wallet/wallet-node.ts'
import { basic, HandDrivenNode } from '../test/wallets/service/hand-driven-node.ts'
import { HandKey, payloadText } from '../test/wallets/service/hand-made-request.ts'
import { type LoadResult, runLoad } from './payments/load.ts'
import { requestBytes } from './payments/prepared.ts'
import { RpcClient } from './rpc-client.ts'
import { median } from './statistics.ts'
import { measureShares } from './wallet/shares.ts'

/** Requests of a cell by concurrency. */
const CONCURRENCY = [1, 16, 256] as const
const SIGNED = { 1: 500, 16: 4_000, 256: 8_000 } as const
const SENT = { 1: 50, 16: 800, 256: 1_600 } as const

/** Wallets used in turn: each has its own nonces, and transactions of one wallet wait for each other. */
const WALLETS = 32

const TO = `0x${'42'.repeat(20)}`

const WHOLE_TOKEN = 10n ** 18n

interface Fixture {
  readonly node: HandDrivenNode
  readonly app: WalletApp
  readonly owner: HandKey
  readonly wallets: readonly { readonly id: string; readonly address: string }[]
}

/** An operation by request number. With `owned`, the owner of the wallet signs, and its policy applies. */
interface Contender {
  readonly method: string
  readonly owned: boolean
  readonly counts: Readonly<Record<(typeof CONCURRENCY)[number], number>>
  body(number: number, chainId: number): object
}

function transaction(number: number, chainId: number): object {
  return {
    to: TO,
    value: `0x${(number + 1).toString(16)}`,
    chain_id: chainId,
    nonce: 0,
    gas_limit: 21_000,
    max_fee_per_gas: '0x3b9aca00',
    max_priority_fee_per_gas: '0x1',
    type: 2,
  }
}

const CONTENDERS: readonly Contender[] = [
  {
    method: 'personal_sign',
    owned: true,
    counts: SIGNED,
    body: (number) => ({ method: 'personal_sign', params: { message: `message ${number}` } }),
  },
  {
    method: 'eth_signTransaction',
    owned: true,
    counts: SIGNED,
    body: (number, chainId) => ({
      method: 'eth_signTransaction',
      params: { transaction: transaction(number, chainId) },
    }),
  },
  {
    method: 'personal_sign',
    owned: false,
    counts: SIGNED,
    body: (number) => ({ method: 'personal_sign', params: { message: `message ${number}` } }),
  },
  {
    method: 'eth_sendTransaction',
    owned: true,
    counts: SENT,
    body: (number, chainId) => ({
      method: 'eth_sendTransaction',
      caip2: `eip155:${chainId}`,
      params: {
        transaction: { to: TO, value: `0x${(number + 1).toString(16)}`, chain_id: chainId },
      },
    }),
  },
]

async function prepareWallets(node: HandDrivenNode): Promise<Fixture & { readonly bare: string }> {
  const app = await node.createApp('bench')
  const owner = new HandKey()
  const source = 'ethereum_transaction'
  const conditions = [
    { field_source: source, field: 'to', operator: 'in', value: [`0x${'41'.repeat(20)}`, TO] },
    { field_source: source, field: 'value', operator: 'lte', value: String(WHOLE_TOKEN) },
  ]
  const rules = [
    { name: 'messages', method: 'personal_sign', action: 'ALLOW', conditions: [] },
    ...['eth_signTransaction', 'eth_sendTransaction'].map((method) => ({
      name: `small ${method}`,
      method,
      action: 'ALLOW',
      conditions,
    })),
  ]
  const common = { version: '1.0', name: 'bench', chain_type: 'ethereum' }
  const policy = await node.make(app, '/v1/policies', { ...common, rules })
  const made = { chain_type: 'ethereum', policy_ids: [policy.id] }
  const wallets: { id: string; address: string }[] = []
  const body = { ...made, owner: { public_key: owner.public } }
  for (let i = 0; i < WALLETS; i++) wallets.push(await node.make(app, '/v1/wallets', body))
  const { id: bare } = await node.make(app, '/v1/wallets', { chain_type: 'ethereum' })
  return { node, app, owner, wallets, bare }
}

async function fund({ node, wallets }: Fixture): Promise<void> {
  const { rpc, chainId } = node.daemon.ready
  const client = new RpcClient(rpc, 2)
  try {
    for (const [nonce, { address }] of wallets.entries()) {
      const raw = await devAccount(3).signTransaction({
        to: address as `0x${string}`,
        value: 10n * WHOLE_TOKEN,
        chainId,
        nonce,
        gas: 21_000n,
        maxFeePerGas: 100n * 10n ** 9n,
        maxPriorityFeePerGas: 10n ** 9n,
      })
      await client.call('eth_sendRawTransaction', raw)
    }
    const last = wallets.at(-1)?.address
    while (BigInt(String(await client.call('eth_getBalance', last, 'latest'))) === 0n) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  } finally {
    client.close()
  }
}

/** Returns requests as sent over the socket, signed before the clock starts. */
function prepareRequests(
  { node, app, owner, wallets, bare }: Awaited<ReturnType<typeof prepareWallets>>,
  { body, owned }: Contender,
  first: number,
  count: number,
): Uint8Array[] {
  const headers = { 'request-expiry': String(Date.now() + 3_600_000) }
  return Array.from({ length: count }, (_, i) => {
    const number = first + i
    const wallet = owned ? wallets[number % wallets.length]?.id : bare
    const path = `/v1/wallets/${wallet}/rpc`
    const request = node.request(app, 'POST', path, body(number, node.daemon.ready.chainId), {
      headers,
    })
    const text = payloadText(node.url, request)
    return requestBytes(
      node.port,
      path,
      {
        authorization: basic(app),
        'content-type': 'application/json',
        ...request.headers,
        ...(owned && {
          'wallet-authorization-signature': owner.sign(text).toString('base64'),
        }),
      },
      request.body,
    )
  })
}

function rounded(value: number): number {
  return Number(value.toPrecision(3))
}

/**
 * Measures signatures and sent transactions per second through the wallet API: owned wallets under a policy, with
 * each request signed by the owner; and the same without owner or policy. Prints medians over the rounds, one JSON
 * line each.
 */
export async function runWalletBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '3' },
      filter: { type: 'string', default: '' },
    },
  })
  const home = makeHome()
  const node = await HandDrivenNode.start(home, [
    ...['--log-level', 'warn', '--mempool.size', '1000000', '--wallets.rate-limit', '0'],
  ])
  const results = new Map<string, { readonly cell: object; readonly results: LoadResult[] }>()
  let number = 0
  try {
    const fixture = await prepareWallets(node)
    await fund(fixture)
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const contender of CONTENDERS) {
        const { method, owned, counts } = contender
        if (!method.includes(values.filter)) continue
        for (const concurrency of CONCURRENCY) {
          const requests = prepareRequests(fixture, contender, number, counts[concurrency])
          number += requests.length
          const cell = { method, owned, concurrency }
          const key = JSON.stringify(cell)
          const entry = results.get(key) ?? { cell, results: [] }
          entry.results.push(await runLoad(node.port, requests, concurrency))
          results.set(key, entry)
        }
      }
    }
  } finally {
    await node.daemon.stop()
    removeHome(home)
  }
  for (const { cell, results: rounds } of results.values()) {
    const of = (pick: (result: LoadResult) => number) => rounded(median(rounds.map(pick)))
    const line = {
      bench: 'wallet',
      ...cell,
      per_second: of(({ perSecond }) => perSecond),
      p50_ms: of(({ p50 }) => p50),
      p99_ms: of(({ p99 }) => p99),
      served: rounds.map(({ served }) => served),
      refused: rounds.map(({ refused }) => refused),
    }
    console.log(JSON.stringify(line))
  }
  for (const { part, us } of await measureShares()) {
    console.log(JSON.stringify({ bench: 'wallet', part, us: rounded(us) }))
  }
}
