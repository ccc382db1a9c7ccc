import type { Command } from 'commander'
import type { Agent } from '../../wallet/signer/agent-store.ts'
import { homeOption } from '../option/home-option.ts'
import { withAgents } from './agents-of.ts'

interface ListFlags {
  readonly home?: string
  readonly app?: string
  readonly json?: true
}

function stateOf({ revokedAt, expiresAt }: Agent): string {
  if (revokedAt !== null) return `revoked ${new Date(revokedAt).toISOString()}`
  if (expiresAt === null) return 'never expires'
  const word = expiresAt <= Date.now() ? 'expired' : 'expires'
  return `${word} ${new Date(expiresAt).toISOString()}`
}

function toLine(agent: Agent): string {
  const { agentId, appId, walletId, policyId } = agent
  const policy = policyId === null ? '' : `  policy ${policyId}`
  return `${agentId}  app ${appId}  wallet ${walletId}${policy}  ${stateOf(agent)}`
}

export function defineAgentList(command: Command): void {
  command
    .option('--app <ID>', 'only agents of this app')
    .option('--json', 'print an array of objects')
    .addOption(homeOption())
    .action((flags: ListFlags) => {
      const agents = withAgents(flags.home, (signer) => signer.agents.list(flags.app))
      process.stdout.write(
        flags.json === true
          ? `${JSON.stringify(agents)}\n`
          : agents.map((agent) => `${toLine(agent)}\n`).join(''),
      )
    })
}
