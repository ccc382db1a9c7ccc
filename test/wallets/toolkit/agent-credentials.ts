import type { NewAgent } from '../../../host/wallet/signer/agent-store.ts'
import { runCommand } from '../../support/node/daemon.ts'

export interface AgentFlags {
  readonly app: string
  readonly wallet: string
  readonly policy?: string
  readonly expires?: string
}

/** Creates an agent while the node runs. @throws Error with the output of the command */
export async function createAgent(home: string, flags: AgentFlags): Promise<NewAgent> {
  const given = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
  const args = ['wallet', 'agent', 'create', ...given, '--json', '--home', home]
  const { code, stdout, stderr } = await runCommand(args)
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as NewAgent
}

/** Returns the agent's id and secret as those of an app, for clients that only know apps. */
export function asApp({ agentId, agentSecret }: NewAgent): {
  readonly appId: string
  readonly appSecret: string
} {
  return { appId: agentId, appSecret: agentSecret }
}
