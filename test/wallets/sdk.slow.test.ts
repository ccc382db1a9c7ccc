import { createWalletClient, type Hex, http, publicActions, verifyMessage } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  approve,
  connectWallets,
  generateAuthorizationKey,
  verifyWebhook,
  type WalletClient,
  walletAccount,
} from '../../host/entry/wallet.ts'
import { startFakeServer } from '../support/fake-server.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { startWalletNode, type WalletNode } from '../support/wallet/wallet-node.ts'

const ETHER = 10n ** 18n
const TO: Hex = `0x${'72'.repeat(20)}`

const home = makeHome()
let node: WalletNode
let wallets: WalletClient
beforeAll(async () => {
  node = await startWalletNode(home)
  wallets = connectWallets({ url: node.url, ...node.app })
})
afterAll(async () => {
  expect(await node?.daemon.stop()).toBe(0)
  removeHome(home)
})

const atMost = (value: bigint) => ({
  name: 'small',
  method: 'eth_sendTransaction' as const,
  action: 'ALLOW' as const,
  conditions: [
    {
      fieldSource: 'ethereum_transaction' as const,
      field: 'value',
      operator: 'lte' as const,
      value: `${value}`,
    },
  ],
})

async function fundedWallet(settings: Parameters<WalletClient['createWallet']>[0] = {}) {
  const wallet = await wallets.createWallet(settings)
  await node.fund(wallet.address, ETHER)
  return wallet
}

test('the SDK sends what a policy allows and explains a denial', async () => {
  const policy = await wallets.createPolicy({ name: 'small', rules: [atMost(ETHER / 10n)] })
  const { id: walletId } = await fundedWallet({ policyIds: [policy.id] })
  const send = (value: bigint) =>
    wallets.sendTransaction({ walletId, transaction: { to: TO, value, chainId: node.chainId } })
  const sent = await send(ETHER / 10n)
  expect((await node.receipt(sent.hash)).status).toBe('success')
  const denied = await send(ETHER / 10n + 1n).catch((error) => error)
  expect(denied).toMatchObject({
    name: 'WalletRequestError',
    code: 'policy_violation',
    status: 400,
    message: 'RPC request denied due to policy violation',
    hint: expect.stringMatching(/only the owner can change the policy/),
  })
  expect(JSON.stringify(denied.explanation)).toContain('100000000000000001')
  const record = await wallets.getTransaction({ transactionId: sent.transactionId })
  expect(record).toMatchObject({ walletId, transactionHash: sent.hash })
  const { data } = await wallets.listTransactions({ walletId })
  expect(data).toEqual([expect.objectContaining({ id: record.id })])
  const [balance] = await wallets.getBalance({ walletId })
  expect(balance?.value).toBe(
    BigInt(
      await node.rpcCall('eth_getBalance', [
        (await wallets.getWallet({ walletId })).address,
        'latest',
      ]),
    ),
  )
})

test('the SDK sends one transaction for an idempotency key, however often it is called', async () => {
  const { id: walletId, address } = await fundedWallet()
  const input = { walletId, caip2: node.caip2, transaction: { to: TO, value: 5n } }
  const options = { idempotencyKey: 'order 66' }
  const hashes = await Promise.all(
    [1, 2, 3].map(async () => (await wallets.sendTransaction(input, options)).hash),
  )
  expect(new Set(hashes).size).toBe(1)
  await node.receipt(hashes[0] as Hex)
  expect(await node.rpcCall('eth_getTransactionCount', [address, 'latest'])).toBe('0x1')
  const other = { ...input, transaction: { to: TO, value: 6n } }
  await expect(wallets.sendTransaction(other, options)).rejects.toMatchObject({
    code: 'idempotency_mismatch',
  })
})

test('two of three owners approve a proposal through the SDK', async () => {
  const keys = await Promise.all([1, 2, 3].map(() => generateAuthorizationKey()))
  const quorum = await wallets.createKeyQuorum({
    publicKeys: keys.map(({ publicKey }) => publicKey),
    authorizationThreshold: 2,
  })
  const wallet = await fundedWallet({ ownerId: quorum.id })
  const proposal = wallets.propose('sendTransaction', {
    walletId: wallet.id,
    caip2: node.caip2,
    transaction: { to: TO, value: 7n },
  })
  const [a, b] = await Promise.all(
    keys
      .slice(1)
      .map(({ privateKey }) => approve(JSON.parse(JSON.stringify(proposal)), privateKey)),
  )
  await expect(wallets.submit(proposal, [a as string])).rejects.toMatchObject({
    code: 'insufficient_correct_authorization_signatures',
    status: 401,
  })
  const again = wallets.propose('sendTransaction', {
    walletId: wallet.id,
    caip2: node.caip2,
    transaction: { to: TO, value: 7n },
  })
  const signatures = await Promise.all(
    keys.slice(1).map(({ privateKey }) => approve(again, privateKey)),
  )
  const { hash } = await wallets.submit(again, signatures)
  expect((await node.receipt(hash)).status).toBe('success')
  expect(b).toBeDefined()
})

test('only the owner can change a wallet through the SDK', async () => {
  const { privateKey, publicKey } = await generateAuthorizationKey()
  const wallet = await wallets.createWallet({ owner: { publicKey } })
  const change = { walletId: wallet.id, displayName: 'till' }
  await expect(wallets.updateWallet(change)).rejects.toMatchObject({ status: 401 })
  const asOwner = { authorizationKeys: [privateKey] }
  expect(await wallets.updateWallet(change, asOwner)).toMatchObject({ displayName: 'till' })
  const owner = connectWallets({ url: `${node.url}/api/v1`, ...node.app, ...asOwner })
  expect(await owner.archiveWallet({ walletId: wallet.id })).toMatchObject({
    archivedAt: expect.any(Number),
  })
  await expect(owner.signMessage({ walletId: wallet.id, message: '' })).rejects.toMatchObject({
    code: 'wallet_archived',
  })
})

test('the SDK imports and exports keys in encrypted form', async () => {
  const key = generatePrivateKey()
  const { address } = privateKeyToAccount(key)
  const { privateKey, publicKey } = await generateAuthorizationKey()
  const wallet = await wallets.importPrivateKey({ privateKey: key, address, owner: { publicKey } })
  expect(wallet.address).toBe(address)
  const asOwner = { authorizationKeys: [privateKey] }
  expect(await wallets.exportPrivateKey({ walletId: wallet.id }, asOwner)).toBe(key)
  const other = privateKeyToAccount(generatePrivateKey()).address
  await expect(wallets.importPrivateKey({ privateKey: key, address: other })).rejects.toMatchObject(
    {
      code: 'invalid_data',
    },
  )
})

test('viem sends from an account whose key is in the wallet service', async () => {
  const wallet = await fundedWallet()
  const account = walletAccount(wallets, wallet)
  const client = createWalletClient({
    account,
    chain: hardhat,
    transport: http(node.rpc),
    pollingInterval: 20,
  }).extend(publicActions)
  for (const nonce of [0, 1]) {
    const hash = await client.sendTransaction({ to: TO, value: 0n })
    const { status } = await client.waitForTransactionReceipt({ hash })
    expect([status, (await client.getTransaction({ hash })).nonce]).toEqual(['success', nonce])
  }
  const signature = await client.signMessage({ message: 'gm' })
  expect(await verifyMessage({ address: wallet.address, message: 'gm', signature })).toBe(true)
})

test('the SDK lists, changes and deletes policies, rules and quorums', async () => {
  const policy = await wallets.createPolicy({ name: 'p', rules: [atMost(1n)] })
  const rule = await wallets.createRule({ policyId: policy.id, rule: atMost(2n) })
  const of = { policyId: policy.id, ruleId: rule.id }
  expect(await wallets.getRule(of)).toEqual(rule)
  const changed = await wallets.updateRule({ ...of, rule: { ...rule, name: 'two' } })
  expect(changed).toEqual({ ...rule, name: 'two' })
  await wallets.updatePolicy({ policyId: policy.id, rules: [changed] })
  expect((await wallets.getPolicy({ policyId: policy.id })).rules).toMatchObject([{ name: 'two' }])
  expect((await wallets.listPolicies({ limit: 100 })).data.map(({ id }) => id)).toContain(policy.id)
  await wallets.deletePolicy({ policyId: policy.id })
  await expect(wallets.getPolicy({ policyId: policy.id })).rejects.toMatchObject({
    code: 'not_found',
  })
  const { publicKey } = await generateAuthorizationKey()
  const quorum = await wallets.createKeyQuorum({ publicKeys: [publicKey] })
  expect((await wallets.listKeyQuorums({ limit: 100 })).data).toContainEqual(quorum)
})

test('the SDK verifies event deliveries', async () => {
  const receiver = await startFakeServer()
  const { id: webhookId, secret } = await wallets.createWebhook({ url: `${receiver.url}/` })
  const wallet = await fundedWallet()
  const { transactionId } = await wallets.sendTransaction({
    walletId: wallet.id,
    caip2: node.caip2,
    transaction: { to: TO, value: 1n },
  })
  const events = async () =>
    Promise.all(
      receiver.received.map((one) =>
        verifyWebhook({ secret, headers: one.headers, body: one.body }),
      ),
    )
  await expect
    .poll(async () => (await events()).find(({ type }) => type === 'transaction.confirmed'))
    .toMatchObject({ wallet_id: wallet.id, transaction_id: transactionId })
  expect(await wallets.getWebhook({ webhookId })).toMatchObject({ url: `${receiver.url}/` })
  await wallets.deleteWebhook({ webhookId })
  expect((await wallets.listWebhooks({})).data).toEqual([])
  await receiver.close()
})

test('the SDK distinguishes wrong credentials from missing objects', async () => {
  const thief = connectWallets({ url: node.url, ...node.app, appSecret: 'guess' })
  await expect(thief.listWallets({})).rejects.toMatchObject({ code: 'unauthorized', status: 401 })
  await expect(wallets.getWallet({ walletId: 'none' })).rejects.toMatchObject({
    code: 'not_found',
    status: 404,
  })
})
