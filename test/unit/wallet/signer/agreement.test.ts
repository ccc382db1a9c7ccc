import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FilledTransaction } from '../../../../host/wallet/signer/signer-link.ts'
import { startSigner, type TestSigner } from '../../../support/wallet/signer-socket.ts'

const TO = '0x00000000000000000000000000000000000000aa'
const FILLED: FilledTransaction = {
  chainId: 1329n,
  nonce: 5n,
  gas: 21_000n,
  maxFeePerGas: 10n,
  maxPriorityFeePerGas: 1n,
}

let signer: TestSigner
let id: string
let address: string

beforeAll(async () => {
  signer = await startSigner()
  const wallet = await signer.ask({ path: '/v1/wallets', body: { chain_type: 'ethereum' } })
  id = wallet.id as string
  address = wallet.address as string
})
afterAll(() => signer.close())

function problem(body: object, filled?: FilledTransaction): Promise<string> {
  return signer.sign({ path: `/v1/wallets/${id}/rpc`, body }, filled).then(
    () => 'signed',
    ({ code, message }) => `${code}: ${message}`,
  )
}

function transact(transaction: object, filled = FILLED, caip2 = 'eip155:1329'): Promise<string> {
  return problem({ method: 'eth_sendTransaction', caip2, params: { transaction } }, filled)
}

describe('the transaction that the API fills in', () => {
  test.each([
    ['an empty one', {}],
    [
      'one that names the same',
      {
        nonce: 5,
        gas_limit: '0x5208',
        chain_id: 1329,
        max_fee_per_gas: 10,
        max_priority_fee_per_gas: '0x01',
        type: 2,
      },
    ],
    [
      'one that names its wallet',
      {
        get from() {
          return address
        },
      },
    ],
  ])('is accepted for %s', async (_, transaction) => {
    expect(await transact({ to: TO, ...transaction })).toBe('signed')
  })

  test.each([
    ['nonce', { nonce: 4 }, 'nonce is 4 in the request, but was filled with 5'],
    ['nonce of 0', { nonce: 0 }, 'nonce is 0 in the request, but was filled with 5'],
    ['gas', { gas_limit: 21_001 }, 'gas_limit is 21001 in the request, but was filled with 21000'],
    ['fee', { max_fee_per_gas: 9 }, 'max_fee_per_gas is 9 in the request, but was filled with 10'],
    [
      'tip',
      { max_priority_fee_per_gas: 2 },
      'max_priority_fee_per_gas is 2 in the request, but was filled with 1',
    ],
  ])('is refused if the request has another %s', async (_, transaction, text) => {
    expect(await transact({ to: TO, ...transaction })).toBe(`invalid_data: ${text}`)
  })

  test('is refused if it is for another chain than the request', async () => {
    expect(await transact({ to: TO }, { ...FILLED, chainId: 1328n })).toBe(
      'invalid_data: chain_id is 1329 in the request, but was filled with 1328',
    )
    expect(await transact({ to: TO, chain_id: 1328 })).toBe(
      'invalid_data: chain_id is 1328, but caip2 is eip155:1329: give the same chain',
    )
  })

  test('does not determine the chain', async () => {
    const params = { transaction: { to: TO } }
    expect(await problem({ method: 'eth_signTransaction', params }, FILLED)).toBe(
      'invalid_data: the request has no chain: give caip2 or chain_id',
    )
  })

  test('is requested if it is missing', async () => {
    const body = {
      method: 'eth_signTransaction',
      params: { transaction: { to: TO, chain_id: 1329 } },
    }
    expect(await problem(body)).toBe('invalid_data: nonce is open and was not filled')
  })

  test('does not convert a gas price into EIP-1559 fees, or back', async () => {
    const { maxFeePerGas: _, maxPriorityFeePerGas: __, ...rest } = FILLED
    expect(await transact({ to: TO, type: 2 }, { ...rest, gasPrice: 5n })).toMatch(
      /^invalid_data: max_fee_per_gas is open/,
    )
    expect(await transact({ to: TO, gas_price: 5 }, FILLED)).toBe('signed')
    expect(await transact({ to: TO, gas_price: 5, max_fee_per_gas: 5 })).toMatch(/^invalid_data/)
  })
})

describe('a transaction is refused', () => {
  test.each<[string, object]>([
    ['with a number that has lost digits', { value: 2 ** 53 }],
    ['with a fraction', { value: 1.5 }],
    ['with less than nothing', { value: -1 }],
    ['with a decimal text', { value: '100' }],
    ['with a value of 33 bytes', { value: `0x1${'00'.repeat(32)}` }],
    ['with a nonce of 65 bits', { nonce: '0x10000000000000000' }],
    ['with gas of 65 bits', { gas_limit: '0x10000000000000000' }],
    ['from another account', { from: TO }],
    ['to half an address', { to: TO.slice(0, 22) }],
    ['with data of odd length', { data: '0x123' }],
    ['with a member that nobody reads', { gas: 21_000 }],
    ['of type 3', { type: 3 }],
    ['of type 4 without authorizations', { type: 4 }],
    ['of type 4 without a recipient', { type: 4, to: null }],
    ['of type 2 with a delegation', { type: 2, authorization_list: [] }],
    [
      'of type 0 with an access list',
      { type: 0, gas_price: 1, access_list: [{ address: TO, storage_keys: [] }] },
    ],
    ['with a tip above its fee', { max_fee_per_gas: 10, max_priority_fee_per_gas: 11 }],
  ])('%s', async (_, transaction) => {
    const { maxFeePerGas: _fee, maxPriorityFeePerGas: _tip, ...open } = FILLED
    expect(await transact({ to: TO, ...transaction }, open as FilledTransaction)).toMatch(
      /^invalid_data: /,
    )
  })
})

describe('typed data is refused', () => {
  const types = { Mail: [{ name: 'amount', type: 'uint256' }] }
  const domain = { name: 'x', chainId: 1 }
  const good = { types, domain, primary_type: 'Mail', message: { amount: 1 } }
  test.each<[string, object]>([
    ['with a member that has no type', { message: { amount: 1, to: TO } }],
    ['without a member that has a type', { message: {} }],
    ['with a number that has lost digits', { message: { amount: 2 ** 53 } }],
    ['with a number beyond its type', { message: { amount: `0x1${'00'.repeat(32)}` } }],
    ['with less than nothing of an unsigned type', { message: { amount: '-1' } }],
    ['with a domain that has a member of its own', { domain: { ...domain, spender: TO } }],
    ['with a type that is not there', { primary_type: 'Letter' }],
    ['with the domain as what is signed', { primary_type: 'EIP712Domain' }],
    [
      'with a name that every object has',
      { types: { constructor: [] }, primary_type: 'constructor', message: {} },
    ],
    [
      'with a type that holds itself',
      { types: { Mail: [{ name: 'a', type: 'Mail' }] }, message: { a: { a: { a: 5 } } } },
    ],
    ['with a type that is none', { types: { Mail: [{ name: 'amount', type: 'uint257' }] } }],
    [
      'with a domain type that leaves out what the domain has',
      { types: { ...types, EIP712Domain: [{ name: 'name', type: 'string' }] } },
    ],
  ])('%s', async (_, members) => {
    const typed_data = { ...good, ...members }
    const body = { method: 'eth_signTypedData_v4', params: { typed_data } }
    expect(await problem(body)).toMatch(/^invalid_data: /)
  })

  test('but accepted otherwise', async () => {
    const body = { method: 'eth_signTypedData_v4', params: { typed_data: good } }
    expect(await problem(body)).toBe('signed')
  })
})

test('a rule that denies a text in typed data denies each spelling of it', async () => {
  const deny = {
    version: '1.0',
    name: 'no such tag',
    chain_type: 'ethereum',
    rules: [
      { name: 'all', method: '*', action: 'ALLOW', conditions: [] },
      {
        name: 'not this',
        method: 'eth_signTypedData_v4',
        action: 'DENY',
        conditions: [
          {
            field_source: 'ethereum_typed_data_message',
            field: 'tag',
            operator: 'eq',
            value: '0xabcdef01',
            typed_data: {
              types: { Mail: [{ name: 'tag', type: 'bytes4' }] },
              primary_type: 'Mail',
            },
          },
        ],
      },
    ],
  }
  const policy = await signer.ask({ path: '/v1/policies', body: deny })
  const wallet = await signer.ask({
    path: '/v1/wallets',
    body: { chain_type: 'ethereum', policy_ids: [policy.id] },
  })
  for (const tag of ['0xabcdef01', '0xABCDEF01', '0xAbcDEF01']) {
    const typed_data = {
      types: { Mail: [{ name: 'tag', type: 'bytes4' }] },
      domain: { name: 'x' },
      primary_type: 'Mail',
      message: { tag },
    }
    const body = { method: 'eth_signTypedData_v4', params: { typed_data } }
    await expect(signer.sign({ path: `/v1/wallets/${wallet.id}/rpc`, body })).rejects.toMatchObject(
      { code: 'policy_violation' },
    )
  }
})

test('addresses and wallets in a request body are checked against the path', async () => {
  const message = { method: 'personal_sign', params: { message: 'x' } }
  expect(await problem({ ...message, wallet_id: id, address })).toBe('signed')
  expect(await problem({ ...message, wallet_id: 'other' })).toMatch(/^invalid_data/)
  expect(await problem({ ...message, address: TO })).toMatch(/^invalid_data/)
})
