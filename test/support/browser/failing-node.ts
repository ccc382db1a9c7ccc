import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  type Abi,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  type Hex,
  http,
  publicActions,
} from 'viem'
import { type Daemon, makeHome, removeHome, startDaemon } from '../node/daemon.ts'
import { devAccount } from '../node/dev-wallet.ts'
import { call } from '../node/json-rpc.ts'
import type { DroppedFile } from './tab.ts'

/** A dev node on which one transaction failed two calls deep, and one like it did not. */
export interface FailingNode {
  readonly daemon: Daemon
  /** URL of its explorer. */
  readonly explorer: string
  /** Of explorer and JSON-RPC. */
  readonly host: string
  readonly failed: Hex
  readonly succeeded: Hex
  readonly teller: Hex
  readonly vault: Hex
  readonly compiled: CompiledVault
  /** What debug_traceStateAccess gives of the failed one, as text. */
  bundle(): Promise<string>
  close(): Promise<void>
}

export interface CompiledVault {
  /** Input and output of solc in one file, as Hardhat keeps them. */
  readonly buildInfo: DroppedFile
  /** Of Teller. */
  readonly abi: Abi
  readonly bytecode: Hex
}

const SOURCE = 'Vault.sol'

/** More than any call of the contracts takes: a transaction that fails is not refused by an estimate. */
const GAS = 1_000_000n

/** Vault.sol with all that solc says of it, without the optimizer. */
export function compileVault(): CompiledVault {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const content = readFileSync(new URL(`../contracts/${SOURCE}`, import.meta.url), 'utf8')
  const input = JSON.stringify({
    language: 'Solidity',
    sources: { [SOURCE]: { content } },
    settings: {
      evmVersion: 'prague',
      optimizer: { enabled: false },
      outputSelection: {
        '*': {
          '': ['ast'],
          '*': ['abi', 'storageLayout', 'evm.bytecode', 'evm.deployedBytecode', 'metadata'],
        },
      },
    },
  })
  const output = solc.compile(input)
  const { contracts } = JSON.parse(output)
  const { abi, evm } = contracts[SOURCE].Teller
  const text = JSON.stringify({ input: JSON.parse(input), output: JSON.parse(output) })
  const buildInfo = { name: 'build-info.json', text }
  return { buildInfo, abi, bytecode: `0x${evm.bytecode.object}` }
}

/** Starts it. `rest` goes to the command line. */
export async function startFailingNode(rest: readonly string[] = []): Promise<FailingNode> {
  const compiled = compileVault()
  const home = makeHome()
  const daemon = await startDaemon({ home, arguments: rest })
  const close = async () => {
    if (daemon.process.exitCode === null && daemon.process.signalCode === null) await daemon.stop()
    removeHome(home)
  }
  try {
    const { rpc, chainId } = daemon.ready
    const chain = defineChain({
      id: chainId,
      name: 'dev',
      nativeCurrency: { name: 'ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [rpc] } },
    })
    const account = devAccount(0)
    const client = createWalletClient({ account, chain, transport: http(rpc) }).extend(
      publicActions,
    )
    const mined = async (fields: { to?: Hex; data: Hex; gas: bigint }) => {
      const hash = await client.sendTransaction({ ...fields, chain, account })
      return client.waitForTransactionReceipt({ hash, pollingInterval: 20 })
    }
    const deployed = await mined({ data: compiled.bytecode, gas: 5_000_000n })
    const teller = deployed.contractAddress as Hex
    const { abi } = compiled
    const vault = (await client.readContract({
      address: teller,
      abi,
      functionName: 'vault',
    })) as Hex
    const serve = (amount: bigint) => {
      const args = [devAccount(1).address, amount]
      const data = encodeFunctionData({ abi, functionName: 'serve', args })
      return mined({ to: teller, data, gas: GAS })
    }
    const succeeded = await serve(60n)
    const failed = await serve(41n)
    return {
      daemon,
      explorer: daemon.ready.explorer as string,
      host: new URL(rpc).host,
      failed: failed.transactionHash,
      succeeded: succeeded.transactionHash,
      teller,
      vault,
      compiled,
      bundle: async () =>
        JSON.stringify(await call(rpc, 'debug_traceStateAccess', [failed.transactionHash])),
      close,
    }
  } catch (thrown) {
    await close()
    throw thrown
  }
}
