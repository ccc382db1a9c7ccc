import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWalletClient, getAddress, type Hex, http, parseAbi, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { hardhat } from 'viem/chains'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEV_ACCOUNTS } from '../../host/base/dev-accounts.ts'
import { connectWallets } from '../../host/wallet/client/wallet-client.ts'
import { compile } from '../support/contracts/solidity.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { call } from '../support/node/json-rpc.ts'
import { MAIN } from '../support/node/main-file.ts'
import { initGateHome } from '../support/payments/gate-node.ts'
import { type McpProcess, startMcpHttp } from '../support/toolkit/mcp-process.ts'
import { until } from '../support/until.ts'
import { createApp } from '../support/wallet/wallet-node.ts'
import { createAgent } from './toolkit/agent-credentials.ts'
import { type FaultProxy, startFaultProxy } from './toolkit/fault-proxy.ts'
import { MCP_CLIENTS, type McpPlace, type ToolResult } from './toolkit/mcp-clients.ts'

// Checks that published clients get every failure of every tool as text, with its code and the remedy.

const ETHER = 10n ** 18n
const home = makeHome()
const tokenFile = join(home, 'token')
const [payer, other] = DEV_ACCOUNTS as unknown as readonly [
  (typeof DEV_ACCOUNTS)[number],
  (typeof DEV_ACCOUNTS)[number],
]
let daemon: Daemon
let rpc: FaultProxy
let wallets: FaultProxy
let server: McpProcess
let flags: readonly string[]
/** Arguments with which each tool succeeds, unless the policy denies it. */
let valid: Readonly<Record<string, object>>

beforeAll(async () => {
  await initGateHome(home)
  daemon = await startDaemon({
    home,
    arguments: [
      ...['--payments.enable', 'true', '--payments.address', '127.0.0.1:0'],
      ...['--wallets.enable', 'true', '--wallets.address', '127.0.0.1:0'],
    ],
  })
  const url = daemon.ready.wallets as string
  rpc = await startFaultProxy(daemon.ready.rpc)
  wallets = await startFaultProxy(url)
  const app = await createApp(home)
  const client = connectWallets({ url, ...app })
  const transaction = 'ethereum_transaction' as const
  const { id } = await client.createPolicy({
    name: 'coins, up to a half',
    rules: [
      {
        name: 'coins',
        method: 'eth_sendTransaction',
        action: 'ALLOW',
        conditions: [
          { fieldSource: transaction, field: 'value', operator: 'lte', value: `${ETHER / 2n}` },
          { fieldSource: transaction, field: 'data', operator: 'eq', value: '0x' },
        ],
      },
    ],
  })
  const wallet = await client.createWallet({ chainType: 'ethereum' })
  const { hash, wrapped, collection } = await prepareChain(wallet.address)
  const deposit = { to: wrapped, value: ETHER, data: '0xd0e30db0' as Hex, chainId: hardhat.id }
  const deposited = await client.sendTransaction({ walletId: wallet.id, transaction: deposit })
  await until(
    async () =>
      (await call(daemon.ready.rpc, 'eth_getTransactionReceipt', [deposited.hash])) !== null,
  )
  await client.updateWallet({ walletId: wallet.id, policyIds: [id] })
  const agent = await createAgent(home, { app: app.appId, wallet: wallet.id })
  const secretFile = join(home, 'agent-secret')
  const networkFile = join(home, 'network.json')
  writeFileSync(secretFile, agent.agentSecret, { mode: 0o600 })
  writeFileSync(networkFile, JSON.stringify({ contracts: { wrappedNative: wrapped } }))
  const gate = new URL(daemon.ready.payments as string).origin
  flags = [
    ...['--rpc', rpc.url, '--network', networkFile, '--wallet-url', wallets.url],
    ...['--app-id', app.appId, '--wallet-id', wallet.id, '--agent-id', agent.agentId],
    ...['--agent-secret-file', secretFile, '--pay-origin', gate],
    ...['--price-feed', 'http://127.0.0.1:9'],
  ]
  server = await startMcpHttp([...flags, '--token-file', tokenFile])
  const token = daemon.ready.paymentToken as Hex
  const to = other.address
  valid = {
    network_details: {},
    wallet_details: {},
    native_balance: { address: to },
    native_transfer: { to, amount: '0.1' },
    erc20_balance: { token },
    erc20_balances: { tokens: [token] },
    erc20_transfer: { token, to, amount: '0.5' },
    erc20_approve: { token, spender: to, amount: '1' },
    erc20_allowance: { token, spender: to },
    erc721_owner: { collection, tokenId: '7' },
    erc721_balance: { collection },
    erc721_transfer: { collection, tokenId: '7', to },
    native_wrap: { amount: '0.1' },
    native_unwrap: { amount: '0.1' },
    x402_fetch: { url: `${gate}/weather` },
    price_search: { query: 'ETH' },
    price_get: { id: 'a'.repeat(64) },
    contract_read: { contract: token, function: 'function totalSupply() view returns (uint256)' },
    contract_simulate: { contract: token, function: 'function totalSupply()' },
    transaction_status: { hash },
    transaction_explain: { hash },
  }
})

afterAll(async () => {
  await server?.stop()
  await Promise.all([rpc?.close(), wallets?.close()])
  await daemon?.stop()
  removeHome(home)
})

/** Deploys contracts, and funds the wallet with coins, tokens and an item of the collection. */
async function prepareChain(wallet: Hex) {
  const account = privateKeyToAccount(payer.privateKey as Hex)
  const transport = http(daemon.ready.rpc)
  const bank = createWalletClient({
    account,
    chain: hardhat,
    transport,
    pollingInterval: 50,
  }).extend(publicActions)
  const deploy = async (name: string) => {
    const { abi, bytecode } = compile('Agent.sol').get(name) ?? { abi: [], bytecode: '0x' as Hex }
    const hash = await bank.deployContract({ abi, bytecode })
    const { contractAddress } = await bank.waitForTransactionReceipt({ hash })
    return getAddress(contractAddress as Hex)
  }
  const wrapped = await deploy('Wrapped')
  const collection = await deploy('Collection')
  const abi = parseAbi([
    'function transfer(address to, uint256 amount)',
    'function safeTransferFrom(address from, address to, uint256 id)',
  ])
  const token = daemon.ready.paymentToken as Hex
  await bank.writeContract({
    address: token,
    abi,
    functionName: 'transfer',
    args: [wallet, 10n ** 6n],
  })
  const moved = [account.address, wallet, 7n] as const
  await bank.writeContract({
    address: collection,
    abi,
    functionName: 'safeTransferFrom',
    args: moved,
  })
  const hash = await bank.sendTransaction({ to: wallet, value: 5n * ETHER })
  await bank.waitForTransactionReceipt({ hash })
  return { hash, wrapped, collection }
}

interface Failing {
  readonly tool: string
  readonly args: object
  /** Beginning of its text, or undefined if the tool may also succeed in that state. */
  readonly code: string | undefined
  /** Further content of its text. */
  readonly says?: RegExp
  readonly rpc?: FaultProxy['mode']
  readonly wallets?: FaultProxy['mode']
}

/** Tools that sign with the wallet. */
const SIGNING = [
  'erc20_transfer',
  'erc20_approve',
  'erc721_transfer',
  'native_wrap',
  'native_unwrap',
  'x402_fetch',
]

/** Tools that do not read from a node. */
const WITHOUT_NODE = new Set(['network_details', 'price_search', 'price_get', 'x402_fetch'])

function failures(tools: readonly string[]): readonly Failing[] {
  const args = (tool: string) => valid[tool] as object
  const to = other.address
  const nowhere = `0x${'1'.repeat(64)}`
  const never = /\nNext: do not send again\b/
  return [
    ...tools.map((tool) => ({
      tool,
      args: { ...args(tool), nonsense: 1 },
      code: 'INVALID_ARGUMENT',
    })),
    ...tools.map((tool) => ({
      tool,
      args: args(tool),
      code: WITHOUT_NODE.has(tool) ? undefined : 'CHAIN_UNREACHABLE',
      rpc: 'down' as const,
    })),
    ...SIGNING.map((tool) => ({
      tool,
      args: args(tool),
      code: 'POLICY_DENIED',
      says: /nothing said in this conversation changes it/,
    })),
    { tool: 'native_transfer', args: { to, amount: '0.6' }, code: 'POLICY_DENIED' },
    { tool: 'native_transfer', args: { to, amount: '600' }, code: 'INSUFFICIENT_FUNDS' },
    { tool: 'native_transfer', args: { to: '0x12', amount: '1' }, code: 'INVALID_ARGUMENT' },
    { tool: 'native_unwrap', args: { amount: '5' }, code: 'INSUFFICIENT_FUNDS' },
    {
      tool: 'contract_read',
      args: {
        contract: (args('erc721_owner') as { collection: Hex }).collection,
        function: 'function ownerOf(uint256 id) view returns (address)',
        args: ['8'],
      },
      code: 'REVERTED',
    },
    {
      tool: 'erc721_owner',
      args: { ...args('erc721_owner'), tokenId: '8' },
      code: 'NOT_FOUND',
    },
    { tool: 'transaction_status', args: { hash: nowhere }, code: 'NOT_FOUND' },
    { tool: 'transaction_explain', args: { hash: nowhere }, code: 'NOT_FOUND' },
    { tool: 'price_search', args: args('price_search'), code: 'FEED_FAILED' },
    { tool: 'price_get', args: args('price_get'), code: 'FEED_FAILED' },
    {
      tool: 'x402_fetch',
      args: { ...args('x402_fetch'), maxAmount: '5' },
      code: 'LIMIT_EXCEEDED',
    },
    { tool: 'x402_fetch', args: { url: 'http://169.254.169.254/' }, code: 'LIMIT_EXCEEDED' },
    {
      tool: 'native_transfer',
      args: args('native_transfer'),
      code: 'OUTCOME_UNKNOWN',
      says: never,
      wallets: 'lose',
    },
    {
      tool: 'native_transfer',
      args: args('native_transfer'),
      code: 'OUTCOME_UNKNOWN',
      says: never,
      wallets: 'down',
    },
  ]
}

/** Returns what is wrong with a result, or undefined if a client can read it as intended. */
function fault(result: ToolResult, { code, says }: Failing): string | undefined {
  if (result.thrown !== undefined) return `thrown: ${result.thrown}`
  const [first, ...more] = result.content ?? []
  const { type, text = '' } = first ?? {}
  if (code === undefined && result.isError !== true) return undefined
  if (result.isError !== true) return `succeeds: ${text}`
  if (result.structuredContent !== undefined) return 'has structured content'
  if (type !== 'text' || more.length > 0) return 'is not one text'
  if (!/^[A-Z_]+: .+\nNext: .+/.test(text)) return `reads ${text}`
  if (code !== undefined && !text.startsWith(`${code}: `)) return `reads ${text}`
  return says === undefined || says.test(text) ? undefined : `does not say ${says}: ${text}`
}

function placeOf(transport: string): McpPlace {
  if (transport === 'stdio') return { command: process.execPath, args: [MAIN, 'mcp', ...flags] }
  return { url: server.url, token: readFileSync(tokenFile, 'utf8').trim() }
}

const RUNS = MCP_CLIENTS.flatMap((client) =>
  ['stdio', 'HTTP'].map((transport) => ({
    client,
    transport,
    title: `${client.name} over ${transport}${client.absent}`,
  })),
)

describe.each(RUNS)('the MCP client $title', ({ client, transport }) => {
  test.skipIf(client.absent !== '')(
    'gets every failure of every tool as text with its code',
    async () => {
      const opened = await client.open(placeOf(transport))
      try {
        expect([...opened.tools].sort()).toEqual(Object.keys(valid).sort())
        const faults: string[] = []
        for (const failing of failures(opened.tools)) {
          const { tool, args } = failing
          rpc.mode = failing.rpc ?? 'pass'
          wallets.mode = failing.wallets ?? 'pass'
          const found = fault(await opened.call(tool, args), failing)
          if (found !== undefined) faults.push(`${tool} ${JSON.stringify(args)}: ${found}`)
        }
        expect(faults).toEqual([])
      } finally {
        rpc.mode = 'pass'
        wallets.mode = 'pass'
        await opened.close()
      }
    },
    180_000,
  )
})
