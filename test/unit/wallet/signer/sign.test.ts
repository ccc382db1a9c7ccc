import {
  type Hex,
  parseTransaction,
  recoverAddress,
  recoverMessageAddress,
  recoverTransactionAddress,
  recoverTypedDataAddress,
} from 'viem'
import { recoverAuthorizationAddress } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SignAnswer } from '../../../../host/wallet/signer/signer-link.ts'
import { type Ask, startSigner, type TestSigner } from '../../../support/wallet/signer-socket.ts'

const TO = '0x00000000000000000000000000000000000000aa'

let signer: TestSigner
let walletId: string
let address: Hex

beforeAll(async () => {
  signer = await startSigner()
  const wallet = await signer.ask({ path: '/v1/wallets', body: { chain_type: 'ethereum' } })
  walletId = wallet.id as string
  address = wallet.address as Hex
})
afterAll(() => signer.close())

const rpc = (body: unknown): Ask => ({ path: `/v1/wallets/${walletId}/rpc`, body })

function signatureOf({ signed }: SignAnswer): Hex {
  if (signed.kind !== 'signature') throw new Error(signed.kind)
  return signed.signature
}

describe('a wallet signs', () => {
  test.each([
    ['utf-8', 'hello wörld', 'hello wörld'],
    [undefined, '0x1234', '0x1234'],
    ['hex', 'deadbeef', { raw: '0xdeadbeef' as Hex }],
  ] as const)('a message in %s', async (encoding, message, expected) => {
    const params = encoding === undefined ? { message } : { message, encoding }
    const answer = await signer.sign(rpc({ method: 'personal_sign', params }))
    const signature = signatureOf(answer)
    expect(await recoverMessageAddress({ message: expected, signature })).toBe(address)
    expect(answer.decision).toEqual({
      allowed: true,
      reason: 'the wallet has no policy',
      rules: [],
      charges: [],
    })
  })

  test('typed data whose integers are numbers, decimals and hex', async () => {
    const types = {
      Mail: [
        { name: 'from', type: 'Person' },
        { name: 'amounts', type: 'uint256[]' },
        { name: 'note', type: 'string' },
        { name: 'tag', type: 'bytes4' },
      ],
      Person: [
        { name: 'name', type: 'string' },
        { name: 'wallet', type: 'address' },
      ],
    } as const
    const domain = { name: 'Mail', version: '1', chainId: 1329, verifyingContract: TO } as const
    const message = {
      from: { name: 'A', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
      amounts: [5, '6', '0x07', `${2n ** 255n}`],
      note: 'x',
      tag: '0xAABBccdd',
    } as const
    const typed_data = { types, domain, primary_type: 'Mail', message }
    const answer = await signer.sign(
      rpc({ method: 'eth_signTypedData_v4', params: { typed_data } }),
    )
    const recovered = await recoverTypedDataAddress({
      types,
      domain,
      primaryType: 'Mail',
      message: { ...message, amounts: [5n, 6n, 7n, 2n ** 255n] },
      signature: signatureOf(answer),
    })
    expect(recovered).toBe(address)
  })

  test('a hash, by both of its methods', async () => {
    const hash: Hex = `0x${'5a'.repeat(32)}`
    const one = signatureOf(await signer.sign(rpc({ method: 'secp256k1_sign', params: { hash } })))
    const path = `/v1/wallets/${walletId}/raw_sign`
    const other = signatureOf(await signer.sign({ path, body: { params: { hash } } }))
    expect(await recoverAddress({ hash, signature: one })).toBe(address)
    expect(other).toBe(one)
  })

  test('a delegation of its account', async () => {
    const params = { contract: TO, chain_id: 1329, nonce: 7 }
    const { signed } = await signer.sign(rpc({ method: 'eth_sign7702Authorization', params }))
    if (signed.kind !== 'authorization') throw new Error(signed.kind)
    const { r, s, yParity } = signed
    const authorization = { address: TO, chainId: 1329, nonce: 7, r, s, yParity } as const
    expect(await recoverAuthorizationAddress({ authorization })).toBe(address)
  })

  const filled = { chainId: 1329n, nonce: 3n, gas: 21_000n }
  test.each([
    [0, { gas_price: '0x5' }, { gasPrice: 5n }],
    [
      1,
      { type: 1, access_list: [{ address: TO, storage_keys: [`0x${'01'.repeat(32)}`] }] },
      { gasPrice: 9n },
    ],
    [2, {}, { maxFeePerGas: 9n, maxPriorityFeePerGas: 2n }],
    [
      4,
      {
        authorization_list: [
          {
            chain_id: 1329,
            contract: TO,
            nonce: 1,
            r: `0x${'11'.repeat(32)}`,
            s: `0x${'22'.repeat(32)}`,
            y_parity: 1,
          },
        ],
      },
      { maxFeePerGas: 9n, maxPriorityFeePerGas: 2n },
    ],
  ])('a transaction of type %i', async (type, members, fees) => {
    const transaction = { to: TO, value: '0x01', data: '0x1234', chain_id: 1329, ...members }
    const answer = await signer.sign(
      rpc({ method: 'eth_signTransaction', params: { transaction } }),
      { ...filled, ...fees },
    )
    if (answer.signed.kind !== 'transaction') throw new Error(answer.signed.kind)
    const { raw } = answer.signed
    const names = ['legacy', 'eip2930', 'eip1559', '', 'eip7702']
    expect(parseTransaction(raw)).toMatchObject({
      type: names[type],
      chainId: 1329,
      nonce: 3,
      gas: 21_000n,
      to: TO,
      value: 1n,
      data: '0x1234',
      ...fees,
    })
    const serializedTransaction = raw as Parameters<
      typeof recoverTransactionAddress
    >[0]['serializedTransaction']
    expect(await recoverTransactionAddress({ serializedTransaction })).toBe(address)
  })
})
