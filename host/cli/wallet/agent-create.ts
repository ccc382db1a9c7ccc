import { type Command, InvalidArgumentError } from 'commander'
import { parseDuration } from '../../base/duration.ts'
import { LockstepError } from '../../base/error.ts'
import { homeOption } from '../option/home-option.ts'
import { type SignerAgents, withAgents } from './agents-of.ts'
import { withApps } from './apps-of.ts'

interface CreateFlags {
  readonly home?: string
  readonly app: string
  readonly wallet: string
  readonly policy?: string
  readonly expires?: number
  readonly json?: true
}

const DAY_MS = 24 * 3_600_000

/** More than a hundred years is a mistake. */
const MOST_MS = 36_525 * DAY_MS

/** Parses a duration to milliseconds. */
function parseExpiry(text: string): number {
  const [, days] = /^(\d{1,6})d$/.exec(text) ?? []
  const milliseconds = days === undefined ? parseDuration(text) : Number(days) * DAY_MS
  if (milliseconds !== undefined && milliseconds > 0 && milliseconds <= MOST_MS) return milliseconds
  throw new InvalidArgumentError('write a duration, such as 30d or 12h')
}

function notFound(message: string, hint: string): LockstepError {
  return new LockstepError('NOT_FOUND', message, { hint })
}

/** @throws NOT_FOUND if the app has no such wallet or policy */
function requireOwned({ store }: SignerAgents, { app, wallet, policy }: CreateFlags): void {
  if (store.wallet(wallet)?.appId !== app) {
    throw notFound(`the app ${app} has no wallet ${wallet}`, 'GET /v1/wallets lists its wallets')
  }
  if (policy === undefined || store.policy(policy)?.appId === app) return
  throw notFound(`the app ${app} has no policy ${policy}`, 'GET /v1/policies lists its policies')
}

function create(signer: SignerAgents, flags: CreateFlags) {
  requireOwned(signer, flags)
  const { app: appId, wallet: walletId, policy: policyId = null, expires } = flags
  const now = Date.now()
  const expiresAt = expires === undefined ? null : Math.ceil(now + expires)
  const made = signer.agents.create({ appId, walletId, policyId, expiresAt }, now)
  const policies = signer.store.wallet(walletId)?.wallet.policy_ids ?? []
  return { made, isBound: policyId !== null || policies.length > 0 }
}

export function defineAgentCreate(command: Command): void {
  command
    .requiredOption('--app <ID>', 'the app that owns the wallet')
    .requiredOption('--wallet <ID>', 'the wallet that the agent may use')
    .option('--policy <ID>', 'a policy for the agent beside those of the wallet')
    .option('--expires <DURATION>', 'validity, such as 30d (default: until revoked)', parseExpiry)
    .option('--json', 'print agentId and agentSecret as an object')
    .addOption(homeOption())
    .action((flags: CreateFlags) => {
      const { app } = flags
      if (!withApps(flags.home, (apps) => apps.has(app))) {
        throw notFound(`there is no app ${app}`, 'lockstep wallet app list shows the apps')
      }
      const { made, isBound } = withAgents(flags.home, (signer) => create(signer, flags))
      const { agentId, agentSecret } = made
      process.stdout.write(
        flags.json === true
          ? `${JSON.stringify({ agentId, agentSecret })}\n`
          : `agent id      ${agentId}\nagent secret  ${agentSecret}\n`,
      )
      process.stderr.write('The secret is not shown again: only its hash is stored.\n')
      if (isBound) return
      process.stderr.write(
        'Neither the agent nor the wallet has a policy: the agent may sign anything with it.\n',
      )
    })
}
