import { LockstepError } from '../../base/error.ts'
import { ActionError } from '../../toolkit/action-error.ts'
import type { ToolkitOptions } from '../../toolkit/toolkit.ts'
import { privateKeyWallet } from '../../toolkit/wallet/private-key-wallet.ts'
import { ServiceWallet } from '../../toolkit/wallet/service-wallet.ts'
import { connectWallets } from '../../wallet/client/wallet-client.ts'
import type { McpFlags } from './mcp-flags.ts'
import { readSecret } from './secret-file.ts'

type OpenWallet = NonNullable<ToolkitOptions['wallet']>

function usage(message: string, hint: string): LockstepError {
  return new LockstepError('INVALID_ARGUMENT', message, { hint })
}

/** What opens the wallet that the flags name; undefined where they name none. @throws INVALID_ARGUMENT */
export function walletOfFlags(
  flags: McpFlags,
  warn: (text: string) => void,
): OpenWallet | undefined {
  const { walletUrl, keyFile } = flags
  if (walletUrl !== undefined && keyFile !== undefined) {
    throw usage('--wallet-url and --key-file are two wallets', 'leave out one of the two')
  }
  if (walletUrl !== undefined) return serviceWallet(walletUrl, flags)
  if (keyFile === undefined) return undefined
  const open = privateKeyWallet(readSecret(keyFile, '--key-file'))
  warn(
    '--key-file: the key is in the process that the agent talks to, and no policy limits it: for development alone',
  )
  return open
}

function serviceWallet(url: string, flags: McpFlags): OpenWallet {
  const { appId, walletId, appSecretFile, authorizationKeyFile = [] } = flags
  if (appId === undefined || walletId === undefined || appSecretFile === undefined) {
    throw usage(
      '--wallet-url: the wallet service is named without the wallet',
      'pass --app-id, --app-secret-file and --wallet-id too; make the wallet beforehand',
    )
  }
  const appSecret = readSecret(appSecretFile, '--app-secret-file')
  const authorizationKeys = authorizationKeyFile.map((file) =>
    readSecret(file, '--authorization-key-file'),
  )
  return async (_, { caip2 }) => {
    try {
      const service = connectWallets({ url, appId, appSecret, authorizationKeys })
      return await ServiceWallet.open(service, walletId, caip2)
    } catch (error) {
      if (!(error instanceof ActionError)) throw error
      const { message, next } = error
      throw new LockstepError('NODE_UNREACHABLE', message, { hint: next, cause: error })
    }
  }
}
