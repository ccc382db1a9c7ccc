import type { NewAgent } from '../../../host/wallet/signer/agent-store.ts'
import { runCommand } from '../../support/node/daemon.ts'

export interface AgentFlags {
  readonly app: string
  readonly wallet: string
  readonly policy?: string
  readonly expires?: string
}

/** Makes an agent beside the node that runs. @throws Error with what the command says */
export async function createAgent(home: string, flags: AgentFlags): Promise<NewAgent> {
  const given = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
  const args = ['wallet', 'agent', 'create', ...given, '--json', '--home', home]
  const { code, stdout, stderr } = await runCommand(args)
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as NewAgent
}

/** Where clients know nothing but an app: its id and secret are those of the agent. */
export function asApp({ agentId, agentSecret }: NewAgent): {
  readonly appId: string
  readonly appSecret: string
} {
  return { appId: agentId, appSecret: agentSecret }
}
