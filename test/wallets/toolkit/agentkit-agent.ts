import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Hex } from '../../../host/base/hex.ts'
import { outputOf } from '../../support/program.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** Folder into which `npm install --prefix bench/peers/agentkit` installs AgentKit. */
const AGENTKIT_FOLDER = path('../../../bench/peers/agentkit')
const PYTHON = process.env.LOCKSTEP_PYTHON ?? 'python3'

/** Suffix of a test's name if AgentKit is not installed. */
export const absentAgentKit: string = existsSync(
  `${AGENTKIT_FOLDER}/node_modules/@coinbase/agentkit`,
)
  ? ''
  : ' (no @coinbase/agentkit: npm install --no-save --prefix bench/peers/agentkit)'

/** Name and version of the installed AgentKit. */
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

/** Suffix of a test's name if AgentKit for Python is not installed. */
export const absentPythonAgentKit: string =
  pythonVersion.status === 0
    ? ''
    : ` (${PYTHON} has no coinbase-agentkit: LOCKSTEP_PYTHON, bench/peers/python.txt)`

/** Name and version of the installed AgentKit for Python. */
export const pythonAgentKitName: string = `coinbase-agentkit ${pythonVersion.stdout ?? ''}`.trim()

/** Address and credentials of an agent at a wallet service. */
export interface AgentService {
  readonly url?: string
  readonly appId: string
  readonly appSecret: string
  readonly walletId?: string
  readonly authorizationPrivateKey?: string
  readonly authorizationKeyId?: string
}

export interface AgentTask {
  /** AgentKit's name of a wallet provider. */
  readonly provider: string
  readonly rpc: string
  readonly chainId: number
  /** Key of a wallet that the agent holds itself. */
  readonly privateKey?: Hex
  readonly service?: AgentService
  readonly actions: readonly { readonly name: string; readonly args: object }[]
  /** Message to sign at the end. */
  readonly message?: string
}

export interface AgentOutcome {
  readonly address: Hex
  readonly network: Readonly<Record<string, string>>
  readonly names: readonly string[]
  readonly results: readonly string[]
  readonly signed?: Hex
  /** Lines of its output. */
  readonly said: readonly string[]
  /** Hosts of other machines that it tried to reach and could not. */
  readonly outside: readonly string[]
}

/** Returns the actions of an agent in the tests, with both spellings of each argument. Each agent uses its own. */
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

/** Runs a task with the published AgentKit. @throws Error with its output if it fails */
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

/** Runs a task with AgentKit for Python. @throws Error with its output if it fails */
export async function runPythonAgentKit(task: AgentTask): Promise<AgentOutcome> {
  const output = await outputOf([PYTHON, path('agentkit-agent.py')], JSON.stringify(task))
  return JSON.parse(output) as AgentOutcome
}
