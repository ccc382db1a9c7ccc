import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSigner, type TestSigner } from '../../../support/wallet/signer-socket.ts'

const LEVELS = 40

/** Each struct has two members of the next one: 1 kB, and 2^40 structs when expanded. */
const SHARED = Object.fromEntries(
  Array.from({ length: LEVELS }, (_, at) => {
    const type = at + 1 < LEVELS ? `T${at + 1}` : 'uint256'
    return [`T${at}`, ['x', 'y'].map((name) => ({ name, type }))]
  }),
)

const policyWith = (field: string, typed_data: unknown) => ({
  version: '1.0',
  name: 'shared structs',
  chain_type: 'ethereum',
  rules: [
    {
      name: 'r',
      method: 'eth_signTypedData_v4',
      action: 'ALLOW',
      conditions: [
        {
          field_source: 'ethereum_typed_data_message',
          field,
          operator: 'eq',
          value: '1',
          typed_data,
        },
      ],
    },
  ],
})

describe('a request whose types share structs', () => {
  let signer: TestSigner
  let walletId: string
  beforeAll(async () => {
    signer = await startSigner()
    const wallet = await signer.ask({ path: '/v1/wallets', body: { chain_type: 'ethereum' } })
    walletId = wallet.id as string
  })
  afterAll(() => signer.close())

  const signHello = async () => {
    const body = { method: 'personal_sign', params: { message: 'hello' } }
    return (await signer.sign({ path: `/v1/wallets/${walletId}/rpc`, body })).signed.kind
  }

  test('creates a policy at once without blocking the signer', async () => {
    const field = `${'x.'.repeat(LEVELS - 1)}y`
    const body = policyWith(field, { types: SHARED, primary_type: 'T0' })
    expect(await signer.ask({ path: '/v1/policies', body })).toMatchObject({
      name: 'shared structs',
    })
    expect(await signHello()).toBe('signature')
  })

  test('is evaluated and signed at once', async () => {
    const typed = { types: SHARED, primary_type: 'T0' }
    const cap = {
      name: 'cap',
      method: 'eth_signTypedData_v4',
      action: 'ALLOW',
      conditions: [
        {
          field_source: 'spending_window',
          field: '0x7070707070707070707070707070707070707070',
          operator: 'lte',
          value: '1',
          period: 60,
        },
      ],
    }
    const policy = { ...policyWith('x', typed), rules: [cap] }
    const { id } = await signer.ask({ path: '/v1/policies', body: policy })
    const wallet = await signer.ask({
      path: '/v1/wallets',
      body: { chain_type: 'ethereum', policy_ids: [id] },
    })
    const domain = { chainId: 1, verifyingContract: '0x000000000022d473030f116ddee9f6b43ac78ba3' }
    const typed_data = { types: SHARED, primary_type: 'T0', domain, message: {} }
    const body = { method: 'eth_signTypedData_v4', params: { typed_data } }
    await expect(signer.sign({ path: `/v1/wallets/${wallet.id}/rpc`, body })).rejects.toMatchObject(
      {
        code: 'policy_violation',
        details: { reason: expect.stringContaining('it is unknown what a message "T0" lets out') },
      },
    )
    const own = await signer.sign({ path: `/v1/wallets/${walletId}/rpc`, body })
    expect(own.signed.kind).toBe('signature')
  })

  test('that omits millions of structs is refused before it is hashed', async () => {
    const wide = Array.from({ length: 900 }, (_, at) => ({ name: `m${at}`, type: 'Leaf' }))
    const types = {
      Many: [{ name: 'items', type: 'Wide[]' }],
      Wide: wide,
      Leaf: [{ name: 'x', type: 'uint8' }],
    }
    const message = { items: Array.from({ length: 4000 }, () => ({})) }
    const typed_data = { types, primary_type: 'Many', domain: {}, message }
    const body = { method: 'eth_signTypedData_v4', params: { typed_data } }
    await expect(signer.sign({ path: `/v1/wallets/${walletId}/rpc`, body })).rejects.toMatchObject({
      code: 'invalid_data',
      message: 'typed_data.message.items[4]: more than 4096 values would be hashed: sign fewer',
    })
    expect(await signHello()).toBe('signature')
  })
})
