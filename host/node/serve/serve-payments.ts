import { join, resolve } from 'node:path'
import { LockstepError } from '../../base/error.ts'
import type { Hex } from '../../base/hex.ts'
import { DEV_ACCOUNTS } from '../../chain-types/dev-accounts.ts'
import type { SignatureRecovery } from '../../chain-types/signature-recovery.ts'
import { PASSPHRASE_VARIABLE } from '../../config/environment.ts'
import type { PaymentChain } from '../../payments/chain/payment-chain.ts'
import { openChallenges } from '../../payments/challenge/open-challenges.ts'
import { openClaims } from '../../payments/claim/open-claims.ts'
import { FACILITATOR_PATHS, facilitatorHandler } from '../../payments/gate/facilitator-handler.ts'
import { GateHandler } from '../../payments/gate/gate-handler.ts'
import { openPaymentGate } from '../../payments/gate/open-payment-gate.ts'
import { openFacilitator } from '../../payments/settle/facilitator.ts'
import { openSettler, type Settler } from '../../payments/settle/settler.ts'
import { readSettlerKey } from '../../payments/settle/settler-key.ts'
import { shownFor } from '../../payments/verify/transfer-verifier.ts'
import type { HttpHandler, Listen } from '../../server/server.ts'
import { type AccountKey, parseSecret } from '../../wallet/account-key.ts'
import type { Home } from '../home/home.ts'
import type { ServedChain } from '../open/served-chain.ts'
import { keepServer, type ServerContext, urlOf } from './node-servers.ts'
import { gateObserver, observeSettler, timedClaims, timedSettlement } from './observe-payments.ts'
import { OwnPaymentChain } from './own-payment-chain.ts'
import { soldResources } from './payment-resources.ts'
import { commonTerms } from './payment-terms.ts'
import { paymentTls } from './payment-tls.ts'

/** The dev account that settles where nothing else is said. */
const DEV_SETTLER = DEV_ACCOUNTS[8]

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

/**
 * Sells resources, where [payments] is on.
 * @throws CONFIG_INVALID with what to change
 */
export async function servePayments(
  context: ServerContext,
  site: PaymentSite,
  listen: Listen,
): Promise<ServedPayments | undefined> {
  const { home, dev, chain, recovery } = site
  const { config, logger, metrics, closers, work } = context
  const { payments } = config
  if (!payments.enable) return undefined
  const tls = paymentTls(payments, home, logger)
  const searches = work.account('payments')
  const paymentChain = new OwnPaymentChain({
    chain,
    minGasPrice: config.minimumGasPrices,
    onSubmit: () => {},
    turn: () => searches.turn(),
  })
  const common = await commonTerms(config, paymentChain, recovery.keccak256.bind(recovery), dev)
  const scheme = tls === undefined ? 'http' : 'https'
  const resources = soldResources(config, common, {
    home: home.root,
    dev,
    upstream: {
      scheme,
      timeoutMs: payments.upstreamTimeout,
      onFailure: (reason) => logger.warn('an upstream did not answer', { reason }),
    },
  })
  const folder = paymentsFolder(home)
  const claims = timedClaims(await openClaims(folder), metrics)
  closers.add(() => claims.close())
  const { symbol, decimals } = common
  const { asset } = common.terms
  await claims.describe(paymentChain.chainId, asset, { symbol, decimals })
  const times = {
    clockSkew: Math.floor(payments.clockSkew / 1000),
    receiptDeadline: payments.receiptDeadline,
    proofLifetime: Math.floor(payments.proofLifetime / 1000),
  }
  const { maxTimeoutSeconds } = common.terms
  const challenges = openChallenges(folder, shownFor(times, maxTimeoutSeconds))
  closers.add(() => challenges.close())
  const settler = await openOwnSettler(context, site, paymentChain, times.clockSkew)
  const settlement = settler && timedSettlement(settler, metrics)
  const onFailure = (error: unknown) => logger.error('a payment could not be decided on', { error })
  const gate = openPaymentGate({
    chain: paymentChain,
    claims,
    challenges,
    ...(settlement !== undefined && { settlement }),
    recovery,
    binding: payments.binding,
    times,
    onFailure,
  })
  const others = new Map<string, HttpHandler>()
  if (settlement !== undefined && settler !== undefined && (dev || payments.facilitator)) {
    const { chainId, network, token } = common.terms
    const facilitator = openFacilitator({
      chainId,
      network,
      assets: [{ address: asset, token }],
      settlement,
      signer: settler.address,
      claims,
      recovery,
      onFailure,
    })
    const handle = facilitatorHandler(facilitator, onFailure)
    for (const path of FACILITATOR_PATHS) others.set(path, handle)
  }
  const handler = new GateHandler({
    gate,
    resources,
    publicUrl: payments.publicUrl === '' ? undefined : payments.publicUrl,
    scheme,
    others,
    observer: gateObserver(logger, metrics),
  })
  const server = await keepServer(
    listen({
      work,
      host: payments.address.host,
      port: payments.address.port,
      maxBodyBytes: payments.maxRequestBodyBytes,
      bodyIdleMs: config.evm.bodyReadIdleTimeout,
      maxConnections: payments.maxConnections,
      ...(tls !== undefined && { tls }),
      handler: handler.handle,
    }),
    closers,
  )
  const url = payments.publicUrl || urlOf(scheme, server)
  logger.info('resources are sold', {
    url,
    resources: resources.length,
    asset,
    binding: payments.binding,
  })
  return { url, token: asset }
}

/** Key of the settler: by default that of a dev account. Undefined where there is none. */
async function settlerKey(file: string, home: Home, dev: boolean): Promise<AccountKey | undefined> {
  if (file === '') return dev && DEV_SETTLER ? parseSecret(DEV_SETTLER.privateKey) : undefined
  return readSettlerKey(resolve(home.root, file), process.env[PASSPHRASE_VARIABLE])
}

/** Carries authorizations out with the key of this node; undefined where there is none. */
async function openOwnSettler(
  { config: { payments }, logger, metrics, closers }: ServerContext,
  { home, dev, recovery }: PaymentSite,
  chain: PaymentChain,
  clockSkew: number,
): Promise<Settler | undefined> {
  const key = await settlerKey(payments.settlerKey, home, dev)
  if (key === undefined) {
    logger.info('authorizations are refused: settler-key in [payments] names no key')
    return undefined
  }
  const settler = await openSettler({
    chain,
    recovery,
    key,
    limits: {
      maxGasPrice: payments.maxSettleGasPrice,
      perMinute: payments.maxSettlesPerMinute,
      perMinuteOfPayer: payments.maxSettlesPerMinute,
    },
    clockSkew: BigInt(clockSkew),
  })
  closers.add(() => settler.close())
  observeSettler(settler, metrics)
  return settler
}

/** @throws CONFIG_INVALID where payments are on beside an imported chain */
export function refusePayments({ payments }: ServerContext['config']): void {
  if (!payments.enable) return
  throw new LockstepError('CONFIG_INVALID', '[payments] enable is true beside an imported chain', {
    hint: 'an imported chain takes no transactions, so nobody could pay: leave enable at false',
  })
}
