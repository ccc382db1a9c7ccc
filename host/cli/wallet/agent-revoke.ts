import type { Command } from 'commander'
import { homeOption } from '../option/home-option.ts'
import { withAgents } from './agents-of.ts'

export function defineAgentRevoke(command: Command): void {
  command
    .argument('<agent-id>', 'the agent')
    .addOption(homeOption())
    .action((agentId: string, { home }: { readonly home?: string }) => {
      withAgents(home, ({ agents }) => agents.revoke(agentId, Date.now()))
      process.stderr.write(`Revoked ${agentId}: its next request is refused\n`)
    })
}
