import type { Listen, Server } from '../../api/server/server.ts'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'
import type { Closers } from '../closers.ts'
import type { PaymentSite, ServedPayments } from './serve-payments.ts'
import type { ProxyOptions } from './serve-proxy.ts'
import type { WalletSite } from './serve-wallets.ts'
import type { ServerContext } from './server-context.ts'

/** Sells resources where [payments] is on. The modules of each service here load where it is wanted, not before. */
export async function sellResources(
  context: ServerContext,
  site: PaymentSite,
): Promise<ServedPayments | undefined> {
  if (!context.config.payments.enable) return undefined
  const { servePayments } = await import('./serve-payments.ts')
  return servePayments(context, site)
}

/** Holds wallets where [wallets] is on; resolves with the URL of their API. */
export async function holdWallets(
  context: ServerContext,
  site: WalletSite,
): Promise<string | undefined> {
  if (!context.config.wallets.enable) return undefined
  const { serveWallets } = await import('./serve-wallets.ts')
  return serveWallets(context, site)
}

/** Serves the consensus RPC in front of CometBFT's. */
export async function serveCometBft(
  options: ProxyOptions,
  listen: Listen,
  closers: Closers,
): Promise<Server> {
  const { serveProxy } = await import('./serve-proxy.ts')
  return serveProxy(options, listen, closers)
}

/** @throws CONFIG_INVALID where payments or wallets are on beside a chain that is not this node's own */
export function refuseServices({ payments, wallets }: Config): void {
  if (payments.enable) {
    throw new LockstepError(
      'CONFIG_INVALID',
      '[payments] enable is true beside an imported chain',
      {
        hint: 'an imported chain does not accept transactions, so nobody could pay: leave enable at false',
      },
    )
  }
  if (wallets.enable) {
    throw new LockstepError('CONFIG_INVALID', '[wallets] enable is true beside an imported chain', {
      hint: 'an imported chain does not accept transactions',
    })
  }
}
