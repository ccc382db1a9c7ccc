import { readFileSync } from 'node:fs'
import {
  type Abi,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  publicActions,
} from 'viem'
import { solcOutput } from '../contracts/solc.ts'
import { type Daemon, makeHome, removeHome, startDaemon } from '../node/daemon.ts'
import { devAccount } from '../node/dev-wallet.ts'
import { call } from '../node/json-rpc.ts'
import { viemChain } from '../node/viem-chain.ts'
import type { DroppedFile } from './browser.ts'

/** A dev node with a transaction that failed two calls deep, and a similar one that succeeded. */
export interface FailingNode extends FailedCalls {
  readonly daemon: Daemon
  /** URL of its explorer. */
  readonly explorer: string
  /** `host:port` of explorer and JSON-RPC. */
  readonly host: string
  readonly compiled: CompiledVault
  /** Returns the text of debug_traceStateAccess for the failed transaction. */
  bundle(): Promise<string>
  close(): Promise<void>
}

export interface CompiledVault {
  /** Input and output of solc in one file, as Hardhat stores them. */
  readonly buildInfo: DroppedFile
  /** ABI of the contract. */
  readonly abi: Abi
  readonly bytecode: Hex
}

const SOURCE = 'Vault.sol'

/** More than any call of the contracts uses, given so that no estimate refuses a failing transaction. */
const GAS = 1_000_000n

/** Compiles Vault.sol with all outputs of solc, without the optimizer. */
export function compileVault(): CompiledVault {
  return compileForPage(SOURCE, 'Teller')
}

/** Compiles a file of test/support/contracts in the same way. */
export function compileForPage(source: string, name: string): CompiledVault {
  const content = readFileSync(new URL(`../contracts/${source}`, import.meta.url), 'utf8')
  const input = JSON.stringify({
    language: 'Solidity',
    sources: { [source]: { content } },
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
  const output = solcOutput(input)
  const { contracts } = JSON.parse(output)
  const { abi, evm } = contracts[source][name]
  const text = JSON.stringify({ input: JSON.parse(input), output: JSON.parse(output) })
  const buildInfo = { name: 'build-info.json', text }
  return { buildInfo, abi, bytecode: `0x${evm.bytecode.object}` }
}

/** The transactions sent to a node. */
export interface FailedCalls {
  readonly failed: Hex
  readonly succeeded: Hex
  readonly teller: Hex
  readonly vault: Hex
}

/** Deploys the contracts on any development node, and sends a call that succeeds and one that fails. */
export async function sendFailing(
  rpc: string,
  chainId: number,
  { abi, bytecode }: CompiledVault,
): Promise<FailedCalls> {
  const chain = viemChain({ rpc, chainId })
  const account = devAccount(0)
  const client = createWalletClient({ account, chain, transport: http(rpc) }).extend(publicActions)
  const mined = async (fields: { to?: Hex; data: Hex; gas: bigint }) => {
    const hash = await client.sendTransaction({ ...fields, chain, account })
    return client.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  }
  const deployed = await mined({ data: bytecode, gas: 5_000_000n })
  const teller = deployed.contractAddress as Hex
  const vault = await client.readContract({ address: teller, abi, functionName: 'vault' })
  const serve = (amount: bigint) => {
    const args = [devAccount(1).address, amount]
    return mined({
      to: teller,
      data: encodeFunctionData({ abi, functionName: 'serve', args }),
      gas: GAS,
    })
  }
  const succeeded = await serve(60n)
  const failed = await serve(41n)
  return {
    failed: failed.transactionHash,
    succeeded: succeeded.transactionHash,
    teller,
    vault: vault as Hex,
  }
}

/** Starts the node. `rest` is added to its command line. */
export async function startFailingNode(rest: readonly string[] = []): Promise<FailingNode> {
  const compiled = compileVault()
  const home = makeHome()
  const daemon = await startDaemon({ home, arguments: rest })
  const close = async () => {
    if (daemon.process.exitCode === null && daemon.process.signalCode === null) await daemon.stop()
    removeHome(home)
  }
  try {
    const { rpc, chainId, explorer } = daemon.ready
    const calls = await sendFailing(rpc, chainId, compiled)
    return {
      ...calls,
      daemon,
      explorer: explorer as string,
      host: new URL(rpc).host,
      compiled,
      bundle: async () => JSON.stringify(await call(rpc, 'debug_traceStateAccess', [calls.failed])),
      close,
    }
  } catch (thrown) {
    await close()
    throw thrown
  }
}
