import { parseTransaction } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { FilledTransaction } from '../../../../host/wallet/signer/signer-link.ts'
import { newAuthorizationKey } from '../../../support/wallet/authorization-key.ts'
import {
  type Ask,
  askedOf,
  startSigner,
  type TestSigner,
} from '../../../support/wallet/signer-socket.ts'

const TO = '0x00000000000000000000000000000000000000aa'
const HOUR = 3_600_000
const NOW = 1_790_000_000_000

const owner = newAuthorizationKey()
let now = NOW
let signer: TestSigner

beforeAll(async () => {
  signer = await startSigner({ clock: () => now })
})
afterAll(() => signer.close())

async function newWallet(members: object = { owner: { public_key: owner.publicKey } }) {
  const body = { chain_type: 'ethereum', ...members }
  return (await signer.ask({ path: '/v1/wallets', body })).id as string
}

const filling = (nonce: bigint, fee = 10n): FilledTransaction => ({
  chainId: 1329n,
  nonce,
  gas: 21_000n,
  maxFeePerGas: fee,
  maxPriorityFeePerGas: 1n,
})

function transfer(id: string, ask: Partial<Ask> = {}, transaction: object = {}): Ask {
  return {
    path: `/v1/wallets/${id}/rpc`,
    body: {
      method: 'eth_sendTransaction',
      caip2: 'eip155:1329',
      params: { transaction: { to: TO, value: '0x1', ...transaction } },
    },
    keys: [owner],
    expiry: now + HOUR,
    ...ask,
  }
}

const codeOf = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'done',
    ({ code }) => code,
  )

test('a used request stays used when the clock jumps days ahead and back', async () => {
  const real = Date.now()
  const clock = vi.spyOn(Date, 'now').mockReturnValue(real)
  onTestFinished(() => clock.mockRestore())
  const other = await startSigner({ clock: () => Date.now() })
  onTestFinished(() => other.close())
  const body = { chain_type: 'ethereum', owner: { public_key: owner.publicKey } }
  const { id } = await other.ask({ path: '/v1/wallets', body })
  const ask = transfer(id as string, { expiry: real + HOUR })
  await other.sign(ask, filling(0n))
  expect(await codeOf(other.sign(ask, filling(1n)))).toBe('request_replayed')
  clock.mockReturnValue(real + 80 * HOUR)
  await other.ask({ method: 'GET', path: `/v1/wallets/${id}` })
  clock.mockReturnValue(real)
  expect(await codeOf(other.sign(ask, filling(1n)))).toBe('request_expired')
  const later = transfer(id as string, { expiry: real + 2 * HOUR })
  await other.sign(later, filling(1n))
})

describe('a signed request with an expiry', () => {
  test('signs one nonce, with any number of fees for it', async () => {
    const asked = askedOf(transfer(await newWallet()))
    const sign = (filled: FilledTransaction) => signer.link.sign(asked, filled)
    const first = await sign(filling(7n))
    expect(await sign(filling(7n))).toEqual(first)
    expect(await codeOf(sign(filling(7n, 20n)))).toBe('done')
    expect(await codeOf(sign(filling(8n)))).toBe('request_replayed')
    expect(await codeOf(sign({ ...filling(6n) }))).toBe('request_replayed')
    now += HOUR + 1
    expect(await codeOf(sign(filling(7n)))).toBe('request_expired')
    expect(await codeOf(sign(filling(8n)))).toBe('request_expired')
  })

  test('is the same whatever signature and request name it has', async () => {
    const id = await newWallet()
    const expiry = now + HOUR
    expect(await codeOf(signer.sign(transfer(id, { expiry }), filling(1n)))).toBe('done')
    expect(await codeOf(signer.sign(transfer(id, { expiry }), filling(2n)))).toBe(
      'request_replayed',
    )
    expect(await codeOf(signer.sign(transfer(id, { expiry: expiry + 1 }), filling(2n)))).toBe(
      'done',
    )
  })

  test('is required to refuse a repetition: without it two equal transfers are both signed', async () => {
    const id = await newWallet()
    const { expiry: _, ...ask } = transfer(id)
    expect(await codeOf(signer.sign(ask, filling(1n)))).toBe('done')
    expect(await codeOf(signer.sign(ask, filling(2n)))).toBe('done')
  })

  test('changes an object once, so that a change that was undone is not repeated', async () => {
    const id = await newWallet()
    const path = `/v1/wallets/${id}`
    const patch = (display_name: string, expiry: number): Ask => ({
      method: 'PATCH',
      path,
      body: { display_name },
      keys: [owner],
      expiry,
    })
    const first = patch('one', now + HOUR)
    expect(await signer.ask(first)).toMatchObject({ display_name: 'one' })
    expect(await signer.ask(patch('two', now + HOUR))).toMatchObject({ display_name: 'two' })
    expect(await signer.ask(first)).toMatchObject({ display_name: 'one' })
    expect(await signer.ask({ method: 'GET', path })).toMatchObject({ display_name: 'two' })
  })
})

describe('a request that is repeated under its name', () => {
  test('creates one wallet and returns it again', async () => {
    const ask: Ask = {
      path: '/v1/wallets',
      body: { chain_type: 'ethereum', owner: { public_key: owner.publicKey } },
      requestId: 'create-1',
    }
    const wallet = await signer.ask(ask)
    expect(await signer.ask(ask)).toEqual(wallet)
    expect(await codeOf(signer.ask({ ...ask, body: { chain_type: 'ethereum' } }))).toBe(
      'invalid_data',
    )
    const other = await signer.ask({ ...ask, app: 'app-2' })
    expect(other.id).not.toBe(wallet.id)
  })

  test("changes an owner once, although its signature is no longer the owner's", async () => {
    const id = await newWallet()
    const next = newAuthorizationKey()
    const asked = askedOf({
      method: 'PATCH',
      path: `/v1/wallets/${id}`,
      body: { owner: { public_key: next.publicKey } },
      keys: [owner],
      requestId: 'change-owner',
    })
    const changed = await signer.link.ask(asked)
    expect(await signer.link.ask(asked)).toEqual(changed)
    expect(await codeOf(signer.link.ask({ ...asked, requestId: 'again' }))).toBe(
      'zero_correct_authorization_signatures',
    )
  })
})

describe('a replacement of a transaction', () => {
  const replace = (id: string, ask: Partial<Ask> = {}): Ask => ({
    path: `/v1/transactions/${id}/replace`,
    body: {},
    keys: [owner],
    expiry: now + HOUR,
    ...ask,
  })

  test('differs only in its fees, although the original request has expired', async () => {
    const id = await newWallet()
    await signer.sign(transfer(id, { requestId: 'tx-1' }, { data: '0xabcd' }), filling(5n))
    now += 2 * HOUR
    const { signed } = await signer.sign(replace('tx-1'), filling(5n, 15n))
    if (signed.kind !== 'transaction') throw new Error(signed.kind)
    expect(parseTransaction(signed.raw)).toMatchObject({
      chainId: 1329,
      nonce: 5,
      to: TO,
      value: 1n,
      data: '0xabcd',
      maxFeePerGas: 15n,
    })
    expect(await codeOf(signer.sign(replace('tx-1'), filling(6n, 15n)))).toBe('invalid_data')
    expect(await codeOf(signer.sign(replace('tx-1'), filling(5n, 14n)))).toBe('invalid_data')
    expect(await codeOf(signer.sign(replace('tx-1', { keys: [] }), filling(5n, 20n)))).toBe(
      'missing_or_empty_authorization_header',
    )
    expect(await codeOf(signer.sign(replace('tx-1', { app: 'app-2' }), filling(5n, 20n)))).toBe(
      'not_found',
    )
    expect(await codeOf(signer.sign(replace('tx-2'), filling(5n, 20n)))).toBe('not_found')
  })
})

describe('the hourly spending limit', () => {
  const limited = {
    version: '1.0',
    name: 'at most 10 wei an hour',
    chain_type: 'ethereum',
    rules: [
      {
        name: 'ten an hour',
        method: 'eth_sendTransaction',
        action: 'ALLOW',
        conditions: [
          {
            field_source: 'spending_window',
            field: 'native',
            operator: 'lte',
            value: '10',
            period: 3600,
          },
        ],
      },
    ],
  }

  async function limitedWallet(): Promise<string> {
    const { id } = await signer.ask({ path: '/v1/policies', body: limited })
    return newWallet({ policy_ids: [id] })
  }

  const spend = (id: string, nonce: bigint, value: number) =>
    codeOf(
      signer.sign(
        transfer(id, { keys: [], expiry: now + HOUR + value }, { value }),
        filling(nonce),
      ),
    )

  test('counts the signed amounts, once for each nonce', async () => {
    const id = await limitedWallet()
    expect(await spend(id, 1n, 6)).toBe('done')
    expect(await spend(id, 2n, 5)).toBe('policy_violation')
    expect(await spend(id, 2n, 4)).toBe('done')
    expect(await spend(id, 3n, 1)).toBe('policy_violation')
    // Only one of two transactions with the same nonce is executed: the larger amount counts, in any order.
    expect(await spend(id, 1n, 2)).toBe('done')
    expect(await spend(id, 3n, 1)).toBe('policy_violation')
    now += HOUR - 1_000
    expect(await spend(id, 3n, 1)).toBe('policy_violation')
    now += 1_000
    expect(await spend(id, 3n, 10)).toBe('done')
  })

  test('is not exceeded by a hundred concurrent requests', async () => {
    const id = await limitedWallet()
    const codes = await Promise.all(
      Array.from({ length: 100 }, (_, nonce) => spend(id, BigInt(nonce), 1)),
    )
    expect(codes.filter((code) => code === 'done')).toHaveLength(10)
  })

  test('remains used if the rule is changed and keeps its name', async () => {
    const { id: policy } = await signer.ask({ path: '/v1/policies', body: limited })
    const id = await newWallet({ policy_ids: [policy] })
    expect(await spend(id, 1n, 10)).toBe('done')
    const path = `/v1/policies/${policy}`
    await signer.ask({ method: 'PATCH', path, body: { rules: limited.rules } })
    expect(await spend(id, 2n, 1)).toBe('policy_violation')
  })
})
