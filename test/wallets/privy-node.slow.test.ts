import {
  type Hex,
  parseTransaction,
  recoverAddress,
  recoverTransactionAddress,
  verifyMessage,
  verifyTypedData,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { verifyAuthorization } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Received, startFakeServer } from '../support/fake-server.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { absentPeers, peer, publishedPeer } from '../support/payments/peers.ts'
import { startWalletNode, type WalletNode } from '../support/wallet/wallet-node.ts'
import { failure } from './service/failure.ts'
import { authorizationPair } from './service/p256-key.ts'
import { HASH, TYPED_DATA, TYPED_DATA_JSON } from './service/signed-things.ts'

const absent = absentPeers('@privy-io/node')
const ETHER = 10n ** 18n
const TO: Hex = `0x${'70'.repeat(20)}`
const ALLOW_ALL = { name: 'all', method: '*', action: 'ALLOW', conditions: [] }

describe.skipIf(absent !== '')(`the published ${publishedPeer('@privy-io/node')}`, () => {
  const home = makeHome()
  let node: WalletNode
  // biome-ignore lint/suspicious/noExplicitAny: types of a peer, which may be absent
  let privy: any

  beforeAll(async () => {
    node = await startWalletNode(home)
    const { PrivyClient } = peer('@privy-io/node')
    privy = new PrivyClient({ ...node.app, apiUrl: node.url })
  })
  afterAll(async () => {
    expect(await node?.daemon.stop()).toBe(0)
    removeHome(home)
  })

  /** Creates a wallet with an owner. Returns it with the owner's authorization. */
  async function ownedWallet(settings: object = {}) {
    const { privateKey, publicKey } = authorizationPair()
    const wallet = await privy
      .wallets()
      .create({ chain_type: 'ethereum', owner: { public_key: publicKey }, ...settings })
    return { wallet, owner: { authorization_private_keys: [privateKey] } }
  }

  describe('and its wallets', () => {
    test('creates, finds, lists, changes and archives wallets', async () => {
      const { wallet, owner } = await ownedWallet({ display_name: 'till', external_id: 'till-1' })
      expect(wallet).toMatchObject({
        chain_type: 'ethereum',
        address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        owner_id: expect.any(String),
        policy_ids: [],
        additional_signers: [],
        created_at: expect.any(Number),
      })
      expect(await privy.wallets().get(wallet.id)).toEqual(wallet)
      expect(await privy.wallets().getWalletByAddress({ address: wallet.address })).toEqual(wallet)
      const changed = await privy
        .wallets()
        .update(wallet.id, { display_name: 'drawer', authorization_context: owner })
      expect(changed).toMatchObject({ id: wallet.id, display_name: 'drawer' })
      const refused = await failure(privy.wallets().update(wallet.id, { display_name: 'mine' }))
      expect(refused).toMatchObject({ status: 401 })
    })

    test('lists wallets page by page', async () => {
      const ids = new Set<string>()
      for (let i = 0; i < 3; i++) ids.add((await ownedWallet()).wallet.id)
      const found = new Set<string>()
      for await (const wallet of privy.wallets().list({ limit: 2, chain_type: 'ethereum' })) {
        found.add(wallet.id)
      }
      expect([...ids].filter((id) => !found.has(id))).toEqual([])
    })

    test('creates one wallet per idempotency key, and gets an error for another request with that key', async () => {
      const input = { chain_type: 'ethereum', idempotency_key: 'one wallet' }
      const first = await privy.wallets().create(input)
      expect(await privy.wallets().create(input)).toEqual(first)
      const other = await failure(privy.wallets().create({ ...input, display_name: 'x' }))
      expect(other).toMatchObject({ status: 400 })
    })

    test('does not find wallets of other apps, and gets an error with a wrong secret', async () => {
      expect(await failure(privy.wallets().get('nothing-there'))).toMatchObject({ status: 404 })
      const { PrivyClient } = peer('@privy-io/node')
      const thief = new PrivyClient({ appId: node.app.appId, appSecret: 'guess', apiUrl: node.url })
      expect(await failure(thief.wallets().create({ chain_type: 'ethereum' }))).toMatchObject({
        status: 401,
      })
    })
  })

  describe('and its signing methods', () => {
    test('signs messages as text and as bytes, typed data, hashes and authorizations', async () => {
      const { wallet, owner } = await ownedWallet()
      const { id, address } = wallet
      const ethereum = privy.wallets().ethereum()
      const context = { authorization_context: owner }
      for (const message of ['hällo', Uint8Array.of(0xff, 0, 1)]) {
        const { signature } = await ethereum.signMessage(id, { message, ...context })
        const signed = typeof message === 'string' ? message : { raw: message }
        expect(await verifyMessage({ address, message: signed, signature })).toBe(true)
      }
      const { domain, types, primaryType: primary_type, message } = TYPED_DATA_JSON
      const typed = await ethereum.signTypedData(id, {
        params: { typed_data: { domain, types, primary_type, message } },
        ...context,
      })
      expect(await verifyTypedData({ address, ...TYPED_DATA, signature: typed.signature })).toBe(
        true,
      )
      const hashed = await ethereum.signSecp256k1(id, { params: { hash: HASH }, ...context })
      expect(await recoverAddress({ hash: HASH, signature: hashed.signature })).toBe(address)
      const raw = await privy.wallets().rawSign(id, { params: { hash: HASH }, ...context })
      expect(await recoverAddress({ hash: HASH, signature: raw.signature })).toBe(address)
      const { authorization } = await ethereum.sign7702Authorization(id, {
        params: { contract: TO, chain_id: node.chainId, nonce: 7 },
        ...context,
      })
      const { contract, chain_id, nonce, r, s, y_parity } = authorization
      const numbers = { chainId: Number(chain_id), nonce: Number(nonce), yParity: y_parity }
      expect(
        await verifyAuthorization({
          address,
          authorization: { address: contract, r, s, ...numbers },
        }),
      ).toBe(true)
    })

    test('signs and sends transactions whose missing fields the service fills in', async () => {
      const { wallet, owner } = await ownedWallet()
      const context = { authorization_context: owner }
      await node.fund(wallet.address, ETHER)
      const ethereum = privy.wallets().ethereum()
      const transaction = { to: TO, value: '0x2386f26fc10000', chain_id: node.chainId }
      const { signed_transaction: raw } = await ethereum.signTransaction(wallet.id, {
        params: { transaction },
        ...context,
      })
      expect(await recoverTransactionAddress({ serializedTransaction: raw })).toBe(wallet.address)
      expect(parseTransaction(raw)).toMatchObject({
        to: TO,
        value: 10n ** 16n,
        chainId: node.chainId,
      })
      const sent = await ethereum.sendTransaction(wallet.id, {
        caip2: node.caip2,
        params: { transaction },
        reference_id: 'order-1',
        ...context,
      })
      expect(sent).toMatchObject({ caip2: node.caip2, transaction_id: expect.any(String) })
      expect((await node.receipt(sent.hash)).status).toBe('success')
      const record = await privy.transactions().get(sent.transaction_id)
      expect(record).toMatchObject({ wallet_id: wallet.id, transaction_hash: sent.hash })
    })

    test('signs for viem, whose accounts omit zeros', async () => {
      const { wallet, owner } = await ownedWallet()
      const { createViemAccount } = peer('@privy-io/node/viem')
      const account = createViemAccount(privy, {
        walletId: wallet.id,
        address: wallet.address,
        authorizationContext: owner,
      })
      await node.fund(wallet.address, ETHER)
      const raw = await account.signTransaction({
        to: TO,
        value: 0n,
        nonce: 0,
        gas: 21_000n,
        maxFeePerGas: 10n ** 11n,
        maxPriorityFeePerGas: 1n,
        chainId: node.chainId,
      })
      const hash = await node.broadcast(raw)
      expect((await node.receipt(hash)).status).toBe('success')
      expect(parseTransaction(raw).nonce ?? 0).toBe(0)
      const signature = await account.signTypedData(TYPED_DATA)
      expect(await verifyTypedData({ address: account.address, ...TYPED_DATA, signature })).toBe(
        true,
      )
    })

    test('gets no signature without the owner, with another key, or after the request expired', async () => {
      const { wallet, owner } = await ownedWallet()
      const ethereum = privy.wallets().ethereum()
      const sign = (context: object) =>
        failure(ethereum.signMessage(wallet.id, { message: 'x', ...context }))
      expect(await sign({})).toMatchObject({ status: 401 })
      const stranger = { authorization_private_keys: [authorizationPair().privateKey] }
      expect(await sign({ authorization_context: stranger })).toMatchObject({ status: 401 })
      const late = { authorization_context: owner, request_expiry: Date.now() - 1000 }
      expect(await sign(late)).toMatchObject({ status: 401 })
      expect(await sign({ authorization_context: owner })).toBeUndefined()
    })

    test('refuses a bigint itself, and gets an error for a number that lost digits', async () => {
      const { wallet, owner } = await ownedWallet()
      const ethereum = privy.wallets().ethereum()
      const send = (value: unknown, context = {}) =>
        failure(
          ethereum.sendTransaction(wallet.id, {
            caip2: node.caip2,
            params: { transaction: { to: TO, value } },
            ...context,
          }),
        )
      expect(await send(1n, { authorization_context: owner })).toBeInstanceOf(TypeError)
      const lost = await send(2 ** 60, { authorization_context: owner })
      expect(lost).toMatchObject({
        status: 400,
        message: expect.stringMatching(/pass a hex string/),
      })
    })
  })

  describe('and its policies', () => {
    const atMost = (value: bigint) => ({
      name: `at most ${value}`,
      method: 'eth_sendTransaction',
      action: 'ALLOW',
      conditions: [
        {
          field_source: 'ethereum_transaction',
          field: 'value',
          operator: 'lte',
          value: value.toString(),
        },
      ],
    })

    test('creates, reads, changes and deletes policies and their rules', async () => {
      const policies = privy.policies()
      const { privateKey, publicKey } = authorizationPair()
      const context = { authorization_context: { authorization_private_keys: [privateKey] } }
      const policy = await policies.create({
        version: '1.0',
        name: 'small',
        chain_type: 'ethereum',
        rules: [atMost(5n)],
        owner: { public_key: publicKey },
      })
      expect(policy).toMatchObject({
        name: 'small',
        rules: [{ ...atMost(5n), id: expect.any(String) }],
      })
      expect(await policies.get(policy.id)).toEqual(policy)
      expect((await policies.update(policy.id, { name: 'tiny', ...context })).name).toBe('tiny')
      const rule = await policies.createRule(policy.id, { ...ALLOW_ALL, ...context })
      expect(rule).toMatchObject({ ...ALLOW_ALL, id: expect.any(String) })
      const inPolicy = { policy_id: policy.id }
      expect(await policies.getRule(rule.id, inPolicy)).toEqual(rule)
      const changed = { ...atMost(6n), ...inPolicy, ...context }
      expect(await policies.updateRule(rule.id, changed)).toMatchObject(atMost(6n))
      await policies.deleteRule(rule.id, { ...inPolicy, ...context })
      expect((await policies.get(policy.id)).rules).toHaveLength(1)
      expect(await failure(policies.delete(policy.id, {}))).toMatchObject({ status: 401 })
      await policies.delete(policy.id, context)
      expect(await failure(policies.get(policy.id))).toMatchObject({ status: 404 })
    })

    test('sends what a policy allows, and gets the reason for a denial', async () => {
      const policy = await privy
        .policies()
        .create({ version: '1.0', name: 'p', chain_type: 'ethereum', rules: [atMost(10n ** 16n)] })
      const { wallet, owner } = await ownedWallet({ policy_ids: [policy.id] })
      await node.fund(wallet.address, ETHER)
      const send = (value: string) =>
        privy
          .wallets()
          .ethereum()
          .sendTransaction(wallet.id, {
            caip2: node.caip2,
            params: { transaction: { to: TO, value } },
            authorization_context: owner,
          })
      expect((await node.receipt((await send('0x2386f26fc10000')).hash)).status).toBe('success')
      const denied = await failure(send('0x2386f26fc10001'))
      expect(denied).toMatchObject({
        status: 400,
        error: { error: 'RPC request denied due to policy violation', code: 'policy_violation' },
      })
      expect(JSON.stringify(denied.error)).toContain('10000000000000001')
      const message = { message: 'x', authorization_context: owner }
      const unnamed = await failure(privy.wallets().ethereum().signMessage(wallet.id, message))
      expect(unnamed).toMatchObject({ status: 400, error: { code: 'policy_violation' } })
    })
  })

  describe('and its key quorums', () => {
    test('creates, changes and deletes a quorum', async () => {
      const [one, two] = [authorizationPair(), authorizationPair()]
      const quorums = privy.keyQuorums()
      const quorum = await quorums.create({
        public_keys: [one.publicKey, two.publicKey],
        authorization_threshold: 2,
        display_name: 'board',
      })
      expect(quorum).toMatchObject({
        authorization_threshold: 2,
        display_name: 'board',
        authorization_keys: [{ public_key: one.publicKey }, { public_key: two.publicKey }],
      })
      expect(await quorums.get(quorum.id)).toEqual(quorum)
      const both = { authorization_private_keys: [one.privateKey, two.privateKey] }
      const changed = await quorums.update(quorum.id, {
        public_keys: [one.publicKey],
        authorization_threshold: 1,
        authorization_context: both,
      })
      expect(changed.authorization_keys).toHaveLength(1)
      const alone = { authorization_private_keys: [two.privateKey] }
      expect(
        await failure(quorums.delete(quorum.id, { authorization_context: alone })),
      ).toMatchObject({
        status: 401,
      })
      const first = { authorization_private_keys: [one.privateKey] }
      await quorums.delete(quorum.id, { authorization_context: first })
      expect(await failure(quorums.get(quorum.id))).toMatchObject({ status: 404 })
    })

    test('needs signatures of two members out of three, and two by the same member do not count', async () => {
      const keys = [authorizationPair(), authorizationPair(), authorizationPair()]
      const quorum = await privy.keyQuorums().create({
        public_keys: keys.map(({ publicKey }) => publicKey),
        authorization_threshold: 2,
      })
      const wallet = await privy.wallets().create({ chain_type: 'ethereum', owner_id: quorum.id })
      const sign = (...indices: number[]) =>
        failure(
          privy
            .wallets()
            .ethereum()
            .signMessage(wallet.id, {
              message: 'agreed',
              authorization_context: {
                authorization_private_keys: indices.map((i) => keys[i]?.privateKey),
              },
            }),
        )
      expect(await sign(0)).toMatchObject({ status: 401 })
      expect(await sign(0, 0)).toMatchObject({ status: 401 })
      expect(await sign(2, 0)).toBeUndefined()
      expect(await sign(1, 2)).toBeUndefined()
    })

    test('lets an additional signer sign by its own policies', async () => {
      const agent = authorizationPair()
      const quorum = await privy
        .keyQuorums()
        .create({ public_keys: [agent.publicKey], authorization_threshold: 1 })
      const rules = [{ ...ALLOW_ALL, name: 'words', method: 'personal_sign' }]
      const words = await privy
        .policies()
        .create({ version: '1.0', name: 'words', chain_type: 'ethereum', rules })
      const { wallet } = await ownedWallet({
        additional_signers: [{ signer_id: quorum.id, override_policy_ids: [words.id] }],
      })
      const context = { authorization_context: { authorization_private_keys: [agent.privateKey] } }
      const ethereum = privy.wallets().ethereum()
      const { signature } = await ethereum.signMessage(wallet.id, { message: 'hi', ...context })
      expect(await verifyMessage({ address: wallet.address, message: 'hi', signature })).toBe(true)
      const hash = ethereum.signSecp256k1(wallet.id, { params: { hash: HASH }, ...context })
      expect(await failure(hash)).toMatchObject({
        status: 400,
        error: { code: 'policy_violation' },
      })
      const change = privy.wallets().update(wallet.id, { policy_ids: [], ...context })
      expect(await failure(change)).toMatchObject({ status: 401 })
    })
  })

  test('imports and exports private keys in encrypted form', async () => {
    const key = generatePrivateKey()
    const { address } = privateKeyToAccount(key)
    const { privateKey, publicKey } = authorizationPair()
    const wallet = await privy.wallets().import({
      wallet: { chain_type: 'ethereum', entropy_type: 'private-key', address, private_key: key },
      owner: { public_key: publicKey },
    })
    expect(wallet).toMatchObject({ address, imported_at: expect.any(Number) })
    const owner = { authorization_private_keys: [privateKey] }
    const { private_key } = await privy
      .wallets()
      .exportPrivateKey(wallet.id, { authorization_context: owner })
    expect(private_key.replace(/^0x/, '')).toBe(key.slice(2))
    expect(await failure(privy.wallets().exportPrivateKey(wallet.id, {}))).toMatchObject({
      status: 401,
    })
  })

  test('verifies webhook events', async () => {
    const receiver = await startFakeServer()
    const { secret } = await node.createWebhook(`${receiver.url}/`)
    const { wallet, owner } = await ownedWallet()
    await node.fund(wallet.address, ETHER)
    const sent = await privy
      .wallets()
      .ethereum()
      .sendTransaction(wallet.id, {
        caip2: node.caip2,
        params: { transaction: { to: TO, value: '0x1' } },
        authorization_context: owner,
      })
    const isOf = ({ body }: Received) => body.includes(sent.transaction_id)
    const confirmed = () =>
      receiver.received.filter(isOf).find(({ body }) => body.includes('transaction.confirmed'))
    await expect.poll(confirmed).toBeDefined()
    for (const { headers, body } of receiver.received) {
      const event = privy.webhooks().verify({ payload: body, headers, signing_secret: secret })
      expect(event).toEqual(JSON.parse(body))
      expect(() =>
        privy.webhooks().verify({ payload: `${body} `, headers, signing_secret: secret }),
      ).toThrow(/Webhook verification failed/)
    }
    const types = receiver.received.filter(isOf).map(({ body }) => JSON.parse(body).type)
    expect(types).toContain('transaction.broadcasted')
    await receiver.close()
  })
})
