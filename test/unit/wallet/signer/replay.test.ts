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

test('a request that was used stays used where the clock jumps days ahead and back', async () => {
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

describe('a signed request that expires', () => {
  test('signs one nonce, for as many fees as it takes', async () => {
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

  test('is the same whatever signature and names of requests it comes with', async () => {
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

  test('without an expiry signs as often as it is asked for: two transfers may be alike', async () => {
    const id = await newWallet()
    const { expiry: _, ...ask } = transfer(id)
    expect(await codeOf(signer.sign(ask, filling(1n)))).toBe('done')
    expect(await codeOf(signer.sign(ask, filling(2n)))).toBe('done')
  })

  test('changes something once: a change that was undone is not made again', async () => {
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

describe('a request that is asked for again by the name it had', () => {
  test('makes one wallet, and is answered with it again', async () => {
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

  test('changes an owner once, though its signature is no longer of the owner', async () => {
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

describe('a transaction that is replaced', () => {
  const replace = (id: string, ask: Partial<Ask> = {}): Ask => ({
    path: `/v1/transactions/${id}/replace`,
    body: {},
    keys: [owner],
    expiry: now + HOUR,
    ...ask,
  })

  test('is the same but for its fees, though what it was sent by has expired', async () => {
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

describe('what an hour may spend', () => {
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

  test('is counted by what was signed, for the nonce that it was signed for', async () => {
    const id = await limitedWallet()
    expect(await spend(id, 1n, 6)).toBe('done')
    expect(await spend(id, 2n, 5)).toBe('policy_violation')
    expect(await spend(id, 2n, 4)).toBe('done')
    expect(await spend(id, 3n, 1)).toBe('policy_violation')
    // One of two with the same nonce is carried out: the larger counts, whichever comes last.
    expect(await spend(id, 1n, 2)).toBe('done')
    expect(await spend(id, 3n, 1)).toBe('policy_violation')
    now += HOUR - 1_000
    expect(await spend(id, 3n, 1)).toBe('policy_violation')
    now += 1_000
    expect(await spend(id, 3n, 10)).toBe('done')
  })

  test('is not passed by a hundred that come at once', async () => {
    const id = await limitedWallet()
    const codes = await Promise.all(
      Array.from({ length: 100 }, (_, nonce) => spend(id, BigInt(nonce), 1)),
    )
    expect(codes.filter((code) => code === 'done')).toHaveLength(10)
  })

  test('is still spent where the rule is changed and keeps its name', async () => {
    const { id: policy } = await signer.ask({ path: '/v1/policies', body: limited })
    const id = await newWallet({ policy_ids: [policy] })
    expect(await spend(id, 1n, 10)).toBe('done')
    const path = `/v1/policies/${policy}`
    await signer.ask({ method: 'PATCH', path, body: { rules: limited.rules } })
    expect(await spend(id, 2n, 1)).toBe('policy_violation')
  })
})
