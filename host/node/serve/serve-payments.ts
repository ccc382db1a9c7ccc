import { join } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import type { SignatureRecovery } from '../../chain-types/signature-recovery.ts'
import { openChallenges } from '../../payments/challenge/open-challenges.ts'
import { openClaims } from '../../payments/claim/open-claims.ts'
import { GateHandler } from '../../payments/gate/gate-handler.ts'
import { openPaymentGate } from '../../payments/gate/open-payment-gate.ts'
import { isLoopbackHost } from '../../server/loopback.ts'
import type { Listen } from '../../server/server.ts'
import type { Home } from '../home/home.ts'
import type { ServedChain } from '../open/served-chain.ts'
import { keepServer, type ServerContext, urlOf } from './node-servers.ts'
import { OwnPaymentChain } from './own-payment-chain.ts'
import { soldResources } from './payment-resources.ts'
import { commonTerms, refuse } from './payment-terms.ts'

export interface PaymentSite {
  readonly home: Home
  /** True under --dev, where what is not configured is made up. */
  readonly dev: boolean
  readonly chain: ServedChain
  readonly recovery: SignatureRecovery
}

/** Where resources are sold, and the token that is paid in. */
export interface ServedPayments {
  readonly url: string
  readonly token: Hex
}

/** The folder of claims and challenges. */
export function paymentsFolder(home: Home): string {
  return join(home.data.directory, 'payments')
}

/** Plain HTTP is for this machine: on the way a proof is anybody's. */
function refusePlain({ address: { host }, insecure }: ServerContext['config']['payments']): void {
  if (insecure || isLoopbackHost(host)) return
  refuse(
    `address = "${host}" is reached from other machines, and there is no certificate`,
    'write tls-cert and tls-key; or insecure = true where a proxy before it has TLS',
  )
}

/**
 * Sells resources, where [payments] is on.
 * @throws CONFIG_INVALID with what to change
 */
export async function servePayments(
  context: ServerContext,
  { home, dev, chain, recovery }: PaymentSite,
  listen: Listen,
): Promise<ServedPayments | undefined> {
  const { config, logger, closers, work } = context
  const { payments } = config
  if (!payments.enable) return undefined
  refusePlain(payments)
  const paymentChain = new OwnPaymentChain({
    chain,
    minGasPrice: config.minimumGasPrices,
    onSubmit: () => {},
  })
  const common = await commonTerms(config, paymentChain, recovery.keccak256.bind(recovery), dev)
  const resources = soldResources(config, common, home.root, dev)
  const folder = paymentsFolder(home)
  const claims = await openClaims(folder)
  closers.add(() => claims.close())
  const challenges = openChallenges(folder)
  closers.add(() => challenges.close())
  const gate = openPaymentGate({
    chain: paymentChain,
    claims,
    challenges,
    recovery,
    binding: payments.binding,
    times: {
      clockSkew: Math.floor(payments.clockSkew / 1000),
      receiptDeadline: payments.receiptDeadline,
      proofLifetime: Math.floor(payments.proofLifetime / 1000),
    },
    onFailure: (error) => logger.error('a payment could not be decided on', { error }),
  })
  const handler = new GateHandler({
    gate,
    resources,
    publicUrl: payments.publicUrl === '' ? undefined : payments.publicUrl,
    scheme: 'http',
    others: new Map(),
    onDefect: (error) => logger.error('a paid request failed', { error }),
  })
  const server = await keepServer(
    listen({
      work,
      host: payments.address.host,
      port: payments.address.port,
      maxBodyBytes: payments.maxRequestBodyBytes,
      bodyIdleMs: config.evm.bodyReadIdleTimeout,
      maxConnections: payments.maxConnections,
      handler: handler.handle,
    }),
    closers,
  )
  return { url: payments.publicUrl || urlOf('http', server), token: common.terms.asset }
}

/** @throws CONFIG_INVALID where payments are on beside an imported chain */
export function refusePayments({ payments }: ServerContext['config']): void {
  if (!payments.enable) return
  throw new LockstepError('CONFIG_INVALID', '[payments] enable is true beside an imported chain', {
    hint: 'an imported chain takes no transactions, so nobody could pay: leave enable at false',
  })
}
