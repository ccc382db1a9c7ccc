import type { Listen, Server } from '../../api/server/server.ts'
import type { Config } from '../../base/config/schema.ts'
import { LockstepError } from '../../base/error.ts'
import type { Disposables } from '../disposables.ts'
import type { PaymentSite, ServedPayments } from './serve-payments.ts'
import type { ProxyOptions } from './serve-proxy.ts'
import type { WalletSite } from './serve-wallets.ts'
import type { ServerContext } from './server-context.ts'

/** Starts the payment gate if [payments] is on. The services here load their modules only when needed. */
export async function sellResources(
  context: ServerContext,
  site: PaymentSite,
): Promise<ServedPayments | undefined> {
  if (!context.config.payments.enable) return undefined
  const { servePayments } = await import('./serve-payments.ts')
  return servePayments(context, site)
}

/** Starts the wallets if [wallets] is on; resolves with the URL of their API. */
export async function holdWallets(
  context: ServerContext,
  site: WalletSite,
): Promise<string | undefined> {
  if (!context.config.wallets.enable) return undefined
  const { serveWallets } = await import('./serve-wallets.ts')
  return serveWallets(context, site)
}

/** Serves the consensus RPC as a proxy of CometBFT's. */
export async function serveCometBft(
  options: ProxyOptions,
  listen: Listen,
  closers: Disposables,
): Promise<Server> {
  const { serveProxy } = await import('./serve-proxy.ts')
  return serveProxy(options, listen, closers)
}

/** @throws CONFIG_INVALID if payments or wallets are on and the chain is not this node's own */
export function refuseServices({ payments, wallets }: Config): void {
  if (payments.enable) {
    throw new LockstepError('CONFIG_INVALID', '[payments] enable is true for an imported chain', {
      hint: 'an imported chain does not accept transactions, so payments are impossible: set enable = false',
    })
  }
  if (wallets.enable) {
    throw new LockstepError('CONFIG_INVALID', '[wallets] enable is true for an imported chain', {
      hint: 'an imported chain does not accept transactions',
    })
  }
}
