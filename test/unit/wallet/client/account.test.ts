import { createWalletClient, custom, hashMessage } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { sei } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectWallets, walletAccount } from '../../../../host/entry/wallet.ts'
import { type ScriptedService, startScriptedService } from './scripted-service.ts'

const local = privateKeyToAccount(generatePrivateKey())
let service: ScriptedService
beforeAll(async () => {
  service = await startScriptedService()
})
afterAll(() => service.close())

/** Returns a viem wallet client whose account is in the service, and whose node accepts everything. */
function client(sent: unknown[] = []) {
  const wallets = connectWallets({ url: service.url, appId: 'a', appSecret: 's' })
  const account = walletAccount(wallets, {
    id: 'w1',
    address: local.address,
    publicKey: local.publicKey,
  })
  const transport = custom({
    request: async ({ method, params }) => {
      if (method === 'eth_chainId') return '0x531'
      if (method !== 'eth_sendRawTransaction') throw new Error(method)
      sent.push(params[0])
      return `0x${'ab'.repeat(32)}`
    },
  })
  return createWalletClient({ account, chain: sei, transport })
}

const lastParams = () => service.received.at(-1)?.body.params

test('an account signs as viem does, and viem sends the signed transaction', async () => {
  service.answers = [{ body: { data: { signed_transaction: '0x02c0', encoding: 'rlp' } } }]
  const sent: unknown[] = []
  await client(sent).sendTransaction({
    to: local.address,
    value: 0n,
    nonce: 0,
    gas: 21_000n,
    maxFeePerGas: 3n,
    maxPriorityFeePerGas: 1n,
    accessList: [{ address: local.address, storageKeys: [`0x${'00'.repeat(32)}`] }],
  })
  expect(sent).toEqual(['0x02c0'])
  // viem fields that a wallet does not use are omitted; a zero nonce or value is not.
  expect(lastParams()).toEqual({
    transaction: {
      type: 2,
      to: local.address,
      value: '0x0',
      nonce: 0,
      gas_limit: '0x5208',
      chain_id: 1329,
      max_fee_per_gas: '0x3',
      max_priority_fee_per_gas: '0x1',
      access_list: [{ address: local.address, storage_keys: [`0x${'00'.repeat(32)}`] }],
    },
  })
})

test('an account signs messages, hashes, typed data and authorizations', async () => {
  const signature = await local.signMessage({ message: 'hi' })
  service.answers = [{ body: { data: { signature, encoding: 'hex' } } }]
  const wallet = client()
  expect(await wallet.signMessage({ message: 'hi' })).toBe(signature)
  expect(lastParams()).toEqual({ message: 'hi', encoding: 'utf-8' })
  await wallet.signMessage({ message: { raw: '0xff00' } })
  expect(lastParams()).toEqual({ message: 'ff00', encoding: 'hex' })
  await wallet.account.sign({ hash: hashMessage('hi') })
  expect(lastParams()).toEqual({ hash: hashMessage('hi') })
  const types = { Paid: [{ name: 'amount', type: 'uint256' }] } as const
  await wallet.signTypedData({ types, primaryType: 'Paid', message: { amount: 2n ** 255n } })
  expect(lastParams().typed_data).toMatchObject({
    primary_type: 'Paid',
    message: { amount: `0x8${'0'.repeat(63)}` },
  })
  const authorization = {
    chain_id: '0x531',
    contract: local.address,
    nonce: '0x7',
    r: '0x1',
    s: '0x2',
  }
  service.answers = [{ body: { data: { authorization: { ...authorization, y_parity: 1 } } } }]
  expect(
    await wallet.signAuthorization({ contractAddress: local.address, chainId: 1329, nonce: 7 }),
  ).toEqual({ address: local.address, chainId: 1329, nonce: 7, r: '0x1', s: '0x2', yParity: 1 })
})

test('a transaction with blobs is refused', async () => {
  await expect(client().account.signTransaction({ type: 'eip4844' })).rejects.toThrow(
    /transactions of type eip4844 cannot be signed/,
  )
})

test('a refusal of the service reaches the caller of viem with its message and remedy', async () => {
  const error = 'RPC request denied due to policy violation'
  const body = { error, code: 'policy_violation', decision: { reason: 'no rule allows it' } }
  service.answers = [{ status: 400, body }]
  const gas = { gas: 21_000n, maxFeePerGas: 3n, maxPriorityFeePerGas: 1n }
  const failed = await client()
    .sendTransaction({ to: local.address, value: 1n, nonce: 0, ...gas })
    .catch((thrown) => thrown)
  expect(failed.message).toContain(error)
  expect(failed.walk((cause: Error) => cause.name === 'WalletRequestError')).toMatchObject({
    code: 'policy_violation',
    hint: expect.stringMatching(/only the owner/),
  })
})
