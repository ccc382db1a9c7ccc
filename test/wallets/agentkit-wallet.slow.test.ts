import { encodeFunctionData, erc20Abi, type Hex, verifyMessage } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connectWallets,
  generateAuthorizationKey,
  type WalletClient,
} from '../../host/entry/wallet.ts'
import { paymentTokenOf } from '../../host/evm/chain-types/payment-token.ts'
import { makeHome, removeHome } from '../support/node/daemon.ts'
import { startWalletNode, type WalletNode } from '../support/wallet/wallet-node.ts'
import { asApp, createAgent } from './toolkit/agent-credentials.ts'
import {
  type AgentService,
  absentAgentKit,
  absentPythonAgentKit,
  agentActions,
  agentKitName,
  pythonAgentKitName,
  runAgentKit,
  runPythonAgentKit,
} from './toolkit/agentkit-agent.ts'

const CHAIN_ID = 1328
const TOKEN = paymentTokenOf(BigInt(CHAIN_ID))
const MESSAGE = 'an agent was here'
const ETHER = 10n ** 18n

const home = makeHome()
let node: WalletNode
let wallets: WalletClient
beforeAll(async () => {
  node = await startWalletNode(home, ['--chain-id', `${CHAIN_ID}`])
  wallets = connectWallets({ url: node.url, ...node.app })
})
afterAll(async () => {
  expect(await node?.daemon.stop()).toBe(0)
  removeHome(home)
})

/** Environment variables that direct the published SDK to the wallets here. */
const leading = (): Record<string, string> => ({
  RPC_URL: node.rpc,
  PRIVY_API_URL: node.url,
  PRIVY_WALLET_API_URL: node.url,
})

/** Returns an owner other than the agent, with the agent's key as an additional signer. */
async function controlOf(publicKey: string | undefined) {
  if (publicKey === undefined) return {}
  const owner = await generateAuthorizationKey()
  const { id } = await wallets.createKeyQuorum({ publicKeys: [publicKey] })
  return { owner: { publicKey: owner.publicKey }, additionalSigners: [{ signerId: id }] }
}

/** Creates a wallet with coins and tokens. The agent knows its id but not its key. */
async function agentWallet(policyIds: readonly string[], publicKey?: string) {
  const wallet = await wallets.createWallet({ policyIds, ...(await controlOf(publicKey)) })
  await node.fund(wallet.address, ETHER)
  const args = [wallet.address, 5_000_000n] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args })
  await node.fund(TOKEN, 0n, data)
  return wallet
}

async function tokensOf(address: Hex): Promise<bigint> {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] })
  return BigInt(await node.rpcCall<Hex>('eth_call', [{ to: TOKEN, data }, 'latest']))
}

const AGENTS = [
  {
    provider: 'PrivyWalletProvider',
    absent: absentAgentKit,
    run: runAgentKit,
    to: '0x1'.padEnd(42, '0'),
  },
  {
    kit: agentKitName,
    provider: 'ViemWalletProvider',
    absent: absentAgentKit,
    run: runAgentKit,
    to: '0x2'.padEnd(42, '0'),
  },
  {
    kit: pythonAgentKitName,
    provider: 'ServiceWalletProvider',
    absent: absentPythonAgentKit,
    run: runPythonAgentKit,
    to: '0x3'.padEnd(42, '0'),
  },
] as const

describe.each(AGENTS)('$kit, $provider, with a wallet of the wallet service$absent', (row) => {
  const to = row.to as Hex
  test.skipIf(row.absent !== '')(
    'acts without a chain key, by the credentials of an agent, within the policy',
    async () => {
      const isPython = row.provider === 'ServiceWalletProvider'
      const { privateKey, publicKey } = await generateAuthorizationKey()
      // Allows up to a quarter coin a transaction, and tokens and messages without limit
      const policy = await wallets.createPolicy({
        name: 'pocket money',
        rules: ['eth_sendTransaction', 'eth_signTransaction', 'personal_sign'].map((method) => ({
          name: method,
          method: method as 'personal_sign',
          action: 'ALLOW' as const,
          conditions:
            method === 'personal_sign'
              ? []
              : [
                  {
                    fieldSource: 'ethereum_transaction' as const,
                    field: 'value',
                    operator: 'lte' as const,
                    value: '250000000000000000',
                  },
                ],
        })),
      })
      // The Python version does not sign its requests
      const wallet = await agentWallet([policy.id], isPython ? undefined : publicKey)
      const service: AgentService = {
        url: node.url,
        ...asApp(await createAgent(home, { app: node.app.appId, wallet: wallet.id })),
        walletId: wallet.id,
        ...(isPython ? {} : { authorizationPrivateKey: privateKey }),
      }
      const tooMuch = { name: 'WalletActionProvider_native_transfer', args: { to, value: '0.3' } }
      const { results, address, signed, outside } = await row.run(
        {
          provider: row.provider,
          rpc: node.rpc,
          chainId: CHAIN_ID,
          service,
          actions: [...agentActions(TOKEN, to), tooMuch],
          message: MESSAGE,
        },
        leading(),
      )
      const [details, sent, balance, transferred, refused] = results
      expect(address).toBe(wallet.address)
      expect(details).toContain('Native Balance: 1 ETH')
      expect(sent).toMatch(/^Transferred 0\.25 ETH/)
      expect(balance).toMatch(/^Balance of USDC .* is 5/)
      expect(transferred).toMatch(/^Transferred 1\.5 of USDC/)
      expect(refused).toContain('RPC request denied due to policy violation')
      expect(await node.rpcCall('eth_getBalance', [to, 'latest'])).toBe('0x3782dace9d90000')
      expect(await tokensOf(to)).toBe(1_500_000n)
      expect(await verifyMessage({ address, message: MESSAGE, signature: signed as Hex })).toBe(
        true,
      )
      expect(outside).toEqual(['cca-lite.coinbase.com'])
    },
    120_000,
  )
})

test.skipIf(absentAgentKit !== '')(
  `without a registered key AgentKit creates no wallet${absentAgentKit}`,
  async () => {
    const { privateKey } = await generateAuthorizationKey()
    const made = runAgentKit(
      {
        provider: 'PrivyWalletProvider',
        rpc: node.rpc,
        chainId: CHAIN_ID,
        service: {
          ...node.app,
          authorizationPrivateKey: privateKey,
          authorizationKeyId: 'the id that a dashboard shows',
        },
        actions: [],
      },
      leading(),
    )
    await expect(made).rejects.toThrow(/Failed to create wallet/)
  },
  180_000,
)
