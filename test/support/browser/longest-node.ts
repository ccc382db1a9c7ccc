import { createWalletClient, encodeFunctionData, type Hex, http, publicActions } from 'viem'
import { type Daemon, makeHome, removeHome, startDaemon } from '../node/daemon.ts'
import { devAccount } from '../node/dev-wallet.ts'
import { viemChain } from '../node/viem-chain.ts'
import { type CompiledVault, compileForPage } from './failing-node.ts'

/** A dev node with transactions whose values are as long as they get. */
export interface LongestNode {
  readonly daemon: Daemon
  readonly explorer: string
  /** `host:port` of explorer and JSON-RPC. */
  readonly host: string
  readonly compiled: CompiledVault
  readonly contract: Hex
  /** The block of `wrote`. */
  readonly block: bigint
  /** Writes long values everywhere, below some calls. */
  readonly wrote: Hex
  /** Reverts with a reason of 3,200 characters below 60 calls. */
  readonly failed: Hex
  /** Reverts with an error of several long values. */
  readonly failedWithError: Hex
  close(): Promise<void>
}

export async function startLongestNode(): Promise<LongestNode> {
  const compiled = compileForPage('Longest.sol', 'Longest')
  const home = makeHome()
  const daemon = await startDaemon({ home })
  const close = async () => {
    await daemon.stop()
    removeHome(home)
  }
  try {
    const { rpc, chainId, explorer } = daemon.ready
    const chain = viemChain({ rpc, chainId })
    const account = devAccount(0)
    const client = createWalletClient({ account, chain, transport: http(rpc) }).extend(
      publicActions,
    )
    const mined = async (data: Hex, to?: Hex) => {
      const gas = 25_000_000n
      const hash = await client.sendTransaction({ ...(to && { to }), data, gas, chain, account })
      return client.waitForTransactionReceipt({ hash, pollingInterval: 20 })
    }
    const { abi, bytecode } = compiled
    const contract = (await mined(bytecode)).contractAddress as Hex
    const sent = async (functionName: string, ...args: readonly unknown[]) =>
      mined(encodeFunctionData({ abi, functionName, args }), contract)
    const write = 'writeEverythingWithAFunctionOfALongName'
    const wrote = await sent(write, 1_500n, 3n, false)
    const failed = await sent(write, 3_200n, 60n, true)
    const failedWithError = await sent('failWithAnErrorOfALongName', 1_500n)
    return {
      ...{ daemon, compiled, contract, close },
      explorer: explorer as string,
      host: new URL(rpc).host,
      block: wrote.blockNumber,
      wrote: wrote.transactionHash,
      failed: failed.transactionHash,
      failedWithError: failedWithError.transactionHash,
    }
  } catch (thrown) {
    await close()
    throw thrown
  }
}
