import { LockstepError } from '../../base/error.ts'
import { ActionError } from '../../toolkit/action-error.ts'
import type { ToolkitOptions } from '../../toolkit/provider/toolkit.ts'
import { privateKeyWallet } from '../../toolkit/wallet/private-key-wallet.ts'
import { ServiceWallet } from '../../toolkit/wallet/service-wallet.ts'
import type { CallerOptions } from '../../wallet/client/exchange.ts'
import { connectWallets } from '../../wallet/client/wallet-client.ts'
import type { McpFlags } from './mcp-flags.ts'
import { readSecret } from './secret-file.ts'

type OpenWallet = NonNullable<ToolkitOptions['wallet']>

function usage(message: string, hint: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', message, { hint })
}

/**
 * Returns a function that opens the wallet named by the flags; undefined if they name none. @throws INVALID_ARGUMENT
 */
export function walletOfFlags(
  flags: McpFlags,
  warn: (text: string) => void,
): OpenWallet | undefined {
  const { walletUrl, keyFile } = flags
  if (walletUrl !== undefined && keyFile !== undefined) {
    throw usage('--wallet-url and --key-file are two wallets', 'omit one of the two')
  }
  if (walletUrl !== undefined) return serviceWallet(walletUrl, flags, warn)
  if (keyFile === undefined) return undefined
  const open = privateKeyWallet(readSecret(keyFile, '--key-file'))
  warn(
    '--key-file: the process that the agent talks to holds the key, and no policy limits it: use it for development only',
  )
  return open
}

/** Returns the credentials of the flags. @throws INVALID_ARGUMENT */
function callerOfFlags(flags: McpFlags, warn: (text: string) => void): CallerOptions {
  const { agentId, agentSecretFile, appSecretFile } = flags
  const isAgent = agentId !== undefined && agentSecretFile !== undefined
  const isHalf = !isAgent && (agentId !== undefined || agentSecretFile !== undefined)
  if (isHalf || isAgent === (appSecretFile !== undefined)) {
    throw usage(
      '--wallet-url needs credentials for the wallet service',
      'pass --agent-id and --agent-secret-file: lockstep wallet agent create prints both',
    )
  }
  if (isAgent) {
    return { agentId, agentSecret: readSecret(agentSecretFile, '--agent-secret-file') }
  }
  warn(
    '--app-secret-file: the secret of the app can change the policy of a wallet without an owner: give the ' +
      'agent its own credentials, which lockstep wallet agent create prints',
  )
  return { appSecret: readSecret(appSecretFile as string, '--app-secret-file') }
}

function serviceWallet(url: string, flags: McpFlags, warn: (text: string) => void): OpenWallet {
  const { appId, walletId, authorizationKeyFile = [] } = flags
  if (appId === undefined || walletId === undefined) {
    throw usage(
      '--wallet-url needs a wallet',
      'also pass --app-id, --wallet-id, --agent-id and --agent-secret-file; create the wallet first',
    )
  }
  const caller = callerOfFlags(flags, warn)
  const authorizationKeys = authorizationKeyFile.map((file) =>
    readSecret(file, '--authorization-key-file'),
  )
  return async (_, { caip2 }) => {
    try {
      const service = connectWallets({ url, appId, ...caller, authorizationKeys })
      return await ServiceWallet.open(service, walletId, caip2)
    } catch (error) {
      if (!(error instanceof ActionError)) throw error
      const { message, next } = error
      throw new LockstepError('NODE_UNREACHABLE', message, { hint: next, cause: error })
    }
  }
}
