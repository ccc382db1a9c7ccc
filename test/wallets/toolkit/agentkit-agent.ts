import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Hex } from '../../../host/base/hex.ts'
import { outputOf } from '../../support/program.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Where `npm install --prefix bench/peers/agentkit` puts AgentKit. */
const AGENTKIT_FOLDER = path('../../../bench/peers/agentkit')
const PYTHON = process.env.LOCKSTEP_PYTHON ?? 'python3'

/** What a test's name says where AgentKit is not there. */
export const absentAgentKit: string = existsSync(
  `${AGENTKIT_FOLDER}/node_modules/@coinbase/agentkit`,
)
  ? ''
  : ' (no @coinbase/agentkit: npm install --no-save --prefix bench/peers/agentkit)'

/** The AgentKit that runs, by name and version. */
export const agentKitName: string =
  absentAgentKit === '' ? `@coinbase/agentkit ${agentKitVersion()}` : '@coinbase/agentkit'

function agentKitVersion(): string {
  const manifest = `${AGENTKIT_FOLDER}/node_modules/@coinbase/agentkit/package.json`
  return JSON.parse(readFileSync(manifest, 'utf8')).version
}

const pythonVersion = spawnSync(
  PYTHON,
  ['-c', 'import importlib.metadata as m; print(m.version("coinbase-agentkit"))'],
  { encoding: 'utf8' },
)

/** The same of the AgentKit for Python. */
export const absentPythonAgentKit: string =
  pythonVersion.status === 0
    ? ''
    : ` (${PYTHON} has no coinbase-agentkit: LOCKSTEP_PYTHON, bench/peers/python.txt)`

/** The AgentKit for Python that runs, by name and version. */
export const pythonAgentKitName: string = `coinbase-agentkit ${pythonVersion.stdout ?? ''}`.trim()

/** How an agent is known to a wallet service. */
export interface AgentService {
  readonly url?: string
  readonly appId: string
  readonly appSecret: string
  readonly walletId?: string
  readonly authorizationPrivateKey?: string
  readonly authorizationKeyId?: string
}

export interface AgentTask {
  /** A provider of wallets by the name that AgentKit has for it. */
  readonly provider: string
  readonly rpc: string
  readonly chainId: number
  /** Of a wallet that the agent holds itself. */
  readonly privateKey?: Hex
  readonly service?: AgentService
  readonly actions: readonly { readonly name: string; readonly args: object }[]
  /** Signed at the end. */
  readonly message?: string
}

export interface AgentOutcome {
  readonly address: Hex
  readonly network: Readonly<Record<string, string>>
  readonly names: readonly string[]
  readonly results: readonly string[]
  readonly signed?: Hex
  /** Lines that it wrote. */
  readonly said: readonly string[]
  /** Hosts beyond this machine that it asked for, and did not reach. */
  readonly outside: readonly string[]
}

/** What an agent does in the tests: both spellings of each argument, of which an agent takes its own. */
export function agentActions(token: Hex, to: Hex): AgentTask['actions'] {
  const tokenNames = { tokenAddress: token, contract_address: token }
  return [
    { name: 'WalletActionProvider_get_wallet_details', args: {} },
    { name: 'WalletActionProvider_native_transfer', args: { to, value: '0.25' } },
    { name: 'ERC20ActionProvider_get_balance', args: tokenNames },
    {
      name: 'ERC20ActionProvider_transfer',
      args: { ...tokenNames, amount: '1.5', destinationAddress: to, destination_address: to },
    },
  ]
}

/** Has an agent of the published AgentKit act. @throws Error with what it wrote where it fails */
export async function runAgentKit(
  task: AgentTask,
  variables: Readonly<Record<string, string>> = {},
): Promise<AgentOutcome> {
  const sdk = new URL('../../../host/entry/wallet.ts', import.meta.url).href
  const args = [path('agentkit-agent.cjs'), AGENTKIT_FOLDER]
  const input = JSON.stringify({ ...task, sdk })
  return JSON.parse(
    await outputOf([process.execPath, ...args], input, { variables }),
  ) as AgentOutcome
}

/** The same of the AgentKit for Python. */
export async function runPythonAgentKit(task: AgentTask): Promise<AgentOutcome> {
  const output = await outputOf([PYTHON, path('agentkit-agent.py')], JSON.stringify(task))
  return JSON.parse(output) as AgentOutcome
}
