import { createWalletClient, erc20Abi, type Hex, http, publicActions } from 'viem'
import { seiTestnet } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectWallets, type WalletAccount, walletAccount } from '../../host/entry/wallet.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { devAccount } from '../support/node/dev-wallet.ts'
import { OUR_CLIENTS, PUBLISHED_CLIENTS, titleOf } from '../support/payments/paying-clients.ts'
import { absentPeers, peer } from '../support/payments/peers.ts'
import { startWalletNode, type WalletNode } from '../support/wallet/wallet-node.ts'

const CHAIN_ID = 1328
const PRICE = 1000n
const ETHER = 10n ** 18n

const home = makeHome()
let node: WalletNode
let account: WalletAccount
let walletId: string
beforeAll(async () => {
  const gate = ['--payments.enable', 'true', '--payments.address', '127.0.0.1:0']
  node = await startWalletNode(home, ['--chain-id', `${CHAIN_ID}`, ...gate])
  const wallets = connectWallets({ url: node.url, ...node.app })
  const wallet = await wallets.createWallet({})
  account = walletAccount(wallets, wallet)
  walletId = wallet.id
  await node.fund(wallet.address, ETHER)
  const funder = createWalletClient({
    account: devAccount(1),
    chain: seiTestnet,
    transport: http(node.rpc),
    pollingInterval: 20,
  }).extend(publicActions)
  const hash = await funder.writeContract({
    address: node.daemon.ready.paymentToken as Hex,
    abi: erc20Abi,
    functionName: 'transfer',
    args: [wallet.address, 1_000_000n],
  })
  await funder.waitForTransactionReceipt({ hash })
})
afterAll(async () => {
  expect(await node?.daemon.stop()).toBe(0)
  removeHome(home)
})

async function tokens(): Promise<bigint> {
  const data: Hex = `0x70a08231${account.address.slice(2).padStart(64, '0')}`
  return BigInt(
    await node.rpcCall<Hex>('eth_call', [{ to: node.daemon.ready.paymentToken, data }, 'latest']),
  )
}

for (const row of [...PUBLISHED_CLIENTS, ...OUR_CLIENTS]) {
  const isSkipped = absentPeers(...row.packages) !== ''
  test.skipIf(isSkipped)(`${titleOf(row)} pays from a wallet of the wallet service`, async () => {
    const before = await tokens()
    const asset = node.daemon.ready.paymentToken as Hex
    const chain = { rpc: node.rpc, chainId: CHAIN_ID, asset }
    const { status, receipt } = await row.get(
      `${node.daemon.ready.payments}/x402/weather`,
      chain,
      account as never,
    )
    expect(status).toBe(200)
    expect(receipt).toMatch(/^eyJ/)
    await expect.poll(tokens).toBe(before - PRICE)
  })
}

const PRIVY = ['@privy-io/node', '@x402/fetch', '@x402/svm', '@solana/kit']
test.skipIf(absentPeers(...PRIVY) !== '')(
  `the x402 client of @privy-io/node pays from a wallet of the wallet service${absentPeers(...PRIVY)}`,
  async () => {
    const before = await tokens()
    const { PrivyClient } = peer('@privy-io/node')
    const privy = new PrivyClient({ ...node.app, apiUrl: node.url })
    const { createX402Client } = peer('@privy-io/node/x402')
    const client = createX402Client(privy, { walletId, address: account.address })
    const pay = peer('@x402/fetch').wrapFetchWithPayment(fetch, client)
    const response = await pay(`${node.daemon.ready.payments}/x402/weather`)
    expect([response.status, await response.json()]).toMatchObject([200, { city: 'Lisbon' }])
    await expect.poll(tokens).toBe(before - PRICE)
  },
)
