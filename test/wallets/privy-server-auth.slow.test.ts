import {
  type Hex,
  parseTransaction,
  recoverAddress,
  recoverTransactionAddress,
  verifyMessage,
  verifyTypedData,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Received, startFakeServer } from '../support/fake-server.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { absentPeers, peer, publishedPeer } from '../support/payments/peers.ts'
import { startWalletNode, type WalletNode } from '../support/wallet/wallet-node.ts'
import { failure } from './service/failure.ts'
import { authorizationPair } from './service/p256-key.ts'
import { HASH, TYPED_DATA, TYPED_DATA_JSON } from './service/signed-things.ts'

const absent = absentPeers('@privy-io/server-auth')
const ETHER = 10n ** 18n
const TO: Hex = `0x${'71'.repeat(20)}`

/** The rule of the example policy in the contract. */
const SMALL = {
  name: 'small',
  method: 'eth_sendTransaction',
  action: 'ALLOW',
  conditions: [
    {
      fieldSource: 'ethereum_transaction',
      field: 'value',
      operator: 'lte',
      value: '10000000000000000',
    },
  ],
} as const

describe.skipIf(absent !== '')(`the published ${publishedPeer('@privy-io/server-auth')}`, () => {
  const home = makeHome()
  const { privateKey, publicKey } = authorizationPair()
  let node: WalletNode
  // biome-ignore lint/suspicious/noExplicitAny: types of a peer, which may be absent
  let privy: any
  // biome-ignore lint/suspicious/noExplicitAny: types of a peer, which may be absent
  let stranger: any

  function connect(authorizationPrivateKey: string) {
    const { PrivyClient } = peer('@privy-io/server-auth')
    const { appId, appSecret } = node.app
    const walletApi = { authorizationPrivateKey, apiURL: node.url }
    return new PrivyClient(appId, appSecret, { apiURL: node.url, walletApi })
  }

  beforeAll(async () => {
    node = await startWalletNode(home)
    privy = connect(`wallet-auth:${privateKey}`)
    stranger = connect(authorizationPair().privateKey)
  })
  afterAll(async () => {
    expect(await node?.daemon.stop()).toBe(0)
    removeHome(home)
  })

  const owned = (settings: object = {}) =>
    privy.walletApi.createWallet({ chainType: 'ethereum', owner: { publicKey }, ...settings })

  test('creates, reads, lists and changes wallets', async () => {
    const wallet = await owned({ idempotencyKey: 'once' })
    expect(await owned({ idempotencyKey: 'once' })).toEqual(wallet)
    expect(wallet).toMatchObject({
      chainType: 'ethereum',
      policyIds: [],
      ownerId: expect.any(String),
    })
    expect(await privy.walletApi.getWallet({ id: wallet.id })).toEqual(wallet)
    const { data } = await privy.walletApi.getWallets({ limit: 100, chainType: 'ethereum' })
    expect(data.map(({ id }: { readonly id: string }) => id)).toContain(wallet.id)
    const policy = await privy.walletApi.createPolicy({
      name: 'p',
      version: '1.0',
      chainType: 'ethereum',
      rules: [SMALL],
    })
    const change = { id: wallet.id, policyIds: [policy.id] }
    expect(await failure(stranger.walletApi.updateWallet(change))).toMatchObject({ status: 401 })
    expect((await privy.walletApi.updateWallet(change)).policyIds).toEqual([policy.id])
  })

  test('gets the error of the contract for an unregistered key id', async () => {
    const input = {
      chainType: 'ethereum',
      authorizationKeyIds: ['the id that a dashboard shows'],
    }
    expect(await failure(privy.walletApi.createWallet(input))).toMatchObject({
      status: 400,
      message: expect.stringContaining('Invalid authorization key IDs'),
    })
  })

  test('signs messages, typed data, hashes and authorizations', async () => {
    const { id: walletId, address } = await owned()
    const { ethereum } = privy.walletApi
    for (const message of ['hällo', Uint8Array.of(0xff, 0, 1)]) {
      const { signature } = await ethereum.signMessage({ walletId, message })
      const signed = typeof message === 'string' ? message : { raw: message }
      expect(await verifyMessage({ address, message: signed, signature })).toBe(true)
    }
    const typed = await ethereum.signTypedData({ walletId, typedData: TYPED_DATA_JSON })
    expect(await verifyTypedData({ address, ...TYPED_DATA, signature: typed.signature })).toBe(true)
    const hashed = await ethereum.secp256k1Sign({ walletId, hash: HASH })
    expect(await recoverAddress({ hash: HASH, signature: hashed.signature })).toBe(address)
    const authorization = await ethereum.sign7702Authorization({
      walletId,
      contract: TO,
      chainId: node.chainId,
      nonce: 3,
    })
    expect(authorization).toMatchObject({ contract: TO, r: expect.stringMatching(/^0x/) })
    expect(
      await failure(stranger.walletApi.ethereum.signMessage({ walletId, message: 'x' })),
    ).toMatchObject({
      status: 401,
    })
  })

  test('signs and sends transactions', async () => {
    const { id: walletId, address } = await owned()
    await node.fund(address, ETHER)
    const { ethereum } = privy.walletApi
    const transaction = { to: TO, value: '0x2386f26fc10000', chainId: node.chainId } as const
    const { signedTransaction } = await ethereum.signTransaction({ walletId, transaction })
    expect(await recoverTransactionAddress({ serializedTransaction: signedTransaction })).toBe(
      address,
    )
    expect(parseTransaction(signedTransaction)).toMatchObject({ to: TO, value: 10n ** 16n })
    const sent = await ethereum.sendTransaction({ walletId, caip2: node.caip2, transaction })
    expect(sent).toMatchObject({
      caip2: node.caip2,
      hash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    expect((await node.receipt(sent.hash)).status).toBe('success')
    const { transactionId } = sent
    if (transactionId !== undefined) {
      const record = await privy.walletApi.getTransaction({ id: transactionId })
      expect(record).toMatchObject({ walletId, transactionHash: sent.hash })
    }
    const elsewhere = ethereum.sendTransaction({ walletId, caip2: 'eip155:5', transaction })
    expect(await failure(elsewhere)).toMatchObject({ status: 400 })
  })

  test('refuses a bigint itself', async () => {
    const { id: walletId } = await owned()
    const transaction = { to: TO, value: 1n }
    const sending = privy.walletApi.ethereum.sendTransaction({
      walletId,
      caip2: node.caip2,
      transaction,
    })
    expect(await failure(sending)).toBeInstanceOf(TypeError)
  })

  test('creates policies and rules, which are enforced', async () => {
    const api = privy.walletApi
    const policy = await api.createPolicy({
      name: 'small',
      version: '1.0',
      chainType: 'ethereum',
      rules: [SMALL],
      owner: { publicKey },
    })
    expect(policy.rules).toMatchObject([{ ...SMALL, id: expect.any(String) }])
    expect(await api.getPolicy({ id: policy.id })).toEqual(policy)
    expect((await api.updatePolicy({ id: policy.id, name: 'tiny' })).name).toBe('tiny')
    const abi = [
      {
        type: 'function',
        name: 'transfer',
        stateMutability: 'nonpayable',
        inputs: [
          { name: 'to', type: 'address' },
          { name: 'amount', type: 'uint256' },
        ],
        outputs: [{ name: '', type: 'bool' }],
      },
    ]
    const calldata = {
      fieldSource: 'ethereum_calldata',
      field: 'transfer.amount',
      operator: 'lte',
    }
    const tokens = {
      name: 'tokens',
      method: 'eth_sendTransaction',
      action: 'ALLOW',
      conditions: [{ ...calldata, value: '5', abi }],
    }
    const rule = await api.addRuleToPolicy({ policyId: policy.id, ...tokens })
    const named = { policyId: policy.id, ruleId: rule.id }
    // Its path contains only the policy, not the requested rule
    expect(await failure(api.getRuleInPolicy(named))).toMatchObject({ status: 405 })
    const renamed = await api.updateRuleInPolicy({ ...named, ...tokens, name: 'few tokens' })
    expect(renamed.name).toBe('few tokens')
    expect(await failure(stranger.walletApi.deleteRuleFromPolicy(named))).toMatchObject({
      status: 401,
    })
    await api.deleteRuleFromPolicy(named)

    const wallet = await owned({ policyIds: [policy.id] })
    await node.fund(wallet.address, ETHER)
    const send = (value: Hex) =>
      api.ethereum.sendTransaction({
        walletId: wallet.id,
        caip2: node.caip2,
        transaction: { to: TO, value },
      })
    await send('0x2386f26fc10000')
    expect(await failure(send('0x2386f26fc10001'))).toMatchObject({
      status: 400,
      message: 'RPC request denied due to policy violation',
    })
    expect(await failure(api.deletePolicy({ id: policy.id }))).toMatchObject({ status: 400 })
    await api.updateWallet({ id: wallet.id, policyIds: [] })
    await api.deletePolicy({ id: policy.id })
    expect(await failure(api.getPolicy({ id: policy.id }))).toMatchObject({ status: 404 })
  })

  test('imports a private key', async () => {
    const key = generatePrivateKey()
    const { address } = privateKeyToAccount(key)
    const wallet = await privy.walletApi.importWallet({
      address,
      chainType: 'ethereum',
      entropy: key,
      entropyType: 'private-key',
      owner: { publicKey },
    })
    expect(wallet.address).toBe(address)
    const { signature } = await privy.walletApi.ethereum.signMessage({
      walletId: wallet.id,
      message: 'mine',
    })
    expect(await verifyMessage({ address, message: 'mine', signature })).toBe(true)
  })

  test('serves as an account of viem', async () => {
    const wallet = await owned()
    await node.fund(wallet.address, ETHER)
    const { createViemAccount } = peer('@privy-io/server-auth/viem')
    const account = await createViemAccount({
      walletId: wallet.id,
      address: wallet.address,
      privy,
    })
    const raw = await account.signTransaction({
      to: TO,
      value: 0n,
      nonce: 0,
      gas: 21_000n,
      maxFeePerGas: 10n ** 11n,
      maxPriorityFeePerGas: 1n,
      chainId: node.chainId,
      type: 'eip1559',
    })
    const hash = await node.broadcast(raw)
    expect((await node.receipt(hash)).status).toBe('success')
  })

  test('verifies webhook events', async () => {
    const receiver = await startFakeServer()
    const { secret } = await node.createWebhook(`${receiver.url}/`)
    const wallet = await owned()
    await node.fund(wallet.address, ETHER)
    const { hash } = await privy.walletApi.ethereum.sendTransaction({
      walletId: wallet.id,
      caip2: node.caip2,
      transaction: { to: TO, value: '0x1' },
    })
    const found = () =>
      receiver.received.find(({ body }) => body.includes(hash) && body.includes('.confirmed'))
    await expect.poll(found).toBeDefined()
    const { headers, body } = found() as Received
    const svix = {
      id: headers['svix-id'],
      timestamp: headers['svix-timestamp'],
      signature: headers['svix-signature'],
    }
    const event = JSON.parse(body)
    expect(event).toMatchObject({ type: 'transaction.confirmed', wallet_id: wallet.id })
    expect(await privy.verifyWebhook(event, svix, secret)).toEqual(event)
    expect(
      await failure(privy.verifyWebhook({ ...event, wallet_id: 'w' }, svix, secret)),
    ).toBeDefined()
    await receiver.close()
  })
})
