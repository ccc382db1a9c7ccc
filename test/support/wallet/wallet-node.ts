import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { connectWallets } from '../../../host/entry/wallet.ts'
import { type Daemon, type Ready, runCommand, startDaemon } from '../node/daemon.ts'
import { devAccount } from '../node/dev-wallet.ts'
import { call } from '../node/json-rpc.ts'
import { viemChain } from '../node/viem-chain.ts'

/** Credentials of an app. */
export interface WalletApp {
  readonly appId: string
  readonly appSecret: string
}

/** A dev node with its wallet service, in their own processes, and an app. */
export interface WalletNode {
  readonly daemon: Daemon
  /** URL of the wallet service. */
  readonly url: string
  readonly rpc: string
  readonly chainId: number
  readonly caip2: string
  readonly app: WalletApp
  /** Sends events to a URL. */
  createWebhook(url: string): Promise<{ readonly id: string; readonly secret: string }>
  /** Sends the native coin, or a call, from a dev account, and waits for its block. */
  fund(address: Hex, value: bigint, data?: Hex): Promise<void>
  broadcast(raw: Hex): Promise<Hex>
  rpcCall<Result>(method: string, params?: unknown[]): Promise<Result>
  /** Waits for the receipt of a transaction and returns it. */
  receipt(hash: Hex): Promise<{ readonly status: Hex; readonly from: Hex }>
}

/** Creates an app while the node runs. */
export async function createApp(home: string, ...name: readonly string[]): Promise<WalletApp> {
  const create = ['wallet', 'app', 'create', ...name, '--json', '--home', home]
  const { code, stdout, stderr } = await runCommand(create)
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as WalletApp
}

/** Starts a dev node with its wallet service on free ports. */
export async function startWalletNode(
  home: string,
  options: readonly string[] = [],
): Promise<WalletNode> {
  const wallets = ['--wallets.enable', 'true', '--wallets.address', '127.0.0.1:0']
  const receivers = ['--wallets.webhook-allow-private', 'true']
  const fast = ['--consensus.block-time', '50ms']
  const daemon = await startDaemon({
    home,
    arguments: [...wallets, ...receivers, ...fast, ...options],
  })
  const { rpc, chainId, wallets: url } = daemon.ready as Ready & { readonly wallets: string }
  const funder = createWalletClient({
    account: devAccount(0),
    chain: viemChain({ rpc, chainId }),
    transport: http(rpc),
    pollingInterval: 20,
  }).extend(publicActions)
  const app = await createApp(home)
  return {
    daemon,
    url,
    app,
    createWebhook: (target) => connectWallets({ url, ...app }).createWebhook({ url: target }),
    rpc,
    chainId,
    caip2: `eip155:${chainId}`,
    fund: async (to, value, data = '0x') => {
      const hash = await funder.sendTransaction({ to, value, data })
      await funder.waitForTransactionReceipt({ hash })
    },
    broadcast: (raw) => call(rpc, 'eth_sendRawTransaction', [raw]),
    rpcCall: (method, params) => call(rpc, method, params),
    receipt: (hash) => funder.waitForTransactionReceipt({ hash }) as never,
  }
}
