import { nodeTransport } from '../../api/server/listen.ts'
import { localPage } from '../../api/server/local-page.ts'
import type { HttpHandler } from '../../api/server/server.ts'
import type { Hex } from '../../base/hex.ts'
import type { SignatureRecovery } from '../../evm/chain-types/signature-recovery.ts'
import { DISCOVERY_PATH, discoveryHandler } from '../../payments/gate/discovery.ts'
import { FACILITATOR_PATHS, facilitatorHandler } from '../../payments/gate/facilitator-handler.ts'
import { GateHandler } from '../../payments/gate/gate-handler.ts'
import { openPaymentGate } from '../../payments/gate/open-payment-gate.ts'
import { PAYMENTS_PAGE, type PageFacts, renderPayments } from '../../payments/gate/payments-page.ts'
import { shownFor } from '../../payments/protocol/payment-times.ts'
import { Facilitator } from '../../payments/settle/facilitator.ts'
import { openSellerLedger, openSellerStore } from '../../payments/store/seller-store.ts'
import type { Home } from '../home/home.ts'
import type { ServedChain } from '../open/served-chain.ts'
import { keepServer, listenUrl } from './node-servers.ts'
import { gateObserver, timedClaims, timedSettlement } from './observe-payments.ts'
import { otherTokens } from './other-tokens.ts'
import { facilitatorRules } from './own-facilitator.ts'
import { OwnPaymentChain } from './own-payment-chain.ts'
import { openOwnSettler } from './own-settler.ts'
import { soldResources } from './payment-resources.ts'
import { commonTerms, refuseConfig } from './payment-terms.ts'
import { paymentTls } from './payment-tls.ts'
import { reopenClaims } from './reopen-claims.ts'
import type { ServerContext } from './server-context.ts'

export interface PaymentSite {
  readonly home: Home
  /** True under --dev, which provides defaults for unset options. */
  readonly dev: boolean
  readonly chain: ServedChain
  readonly recovery: SignatureRecovery
}

/** URL of the gate, and the token that pays. */
export interface ServedPayments {
  readonly url: string
  readonly token: Hex
}

/**
 * Starts the payment gate.
 * @throws CONFIG_INVALID with the remedy
 */
export async function servePayments(
  context: ServerContext,
  site: PaymentSite,
): Promise<ServedPayments> {
  const { home, dev, chain, recovery } = site
  const { config, logger, metrics, closers, work, live } = context
  const { payments } = config
  const tls = paymentTls(payments, home, logger)
  const searches = work.account('payments')
  const paymentChain = new OwnPaymentChain({
    chain,
    get minGasPrice() {
      return (live?.config ?? config).minimumGasPrices
    },
    onSubmit: () => {},
    turn: () => searches.yield(),
  })
  const keccak256 = recovery.keccak256.bind(recovery)
  const common = await commonTerms(config, paymentChain, keccak256, dev)
  const tokens = await otherTokens(config, common, paymentChain, keccak256)
  const scheme = tls === undefined ? 'http' : 'https'
  const publicUrl = payments.publicUrl === '' ? undefined : payments.publicUrl
  const resources = soldResources(config, common, {
    home: home.root,
    dev,
    tokens,
    upstream: {
      scheme,
      publicUrl,
      timeoutMs: payments.upstreamTimeout,
      onFailure: (reason) => logger.warn('an upstream did not respond', { reason }),
    },
  })
  const { symbol, decimals } = common
  const { asset } = common.terms
  const times = {
    clockSkew: Math.floor(payments.clockSkew / 1000),
    receiptDeadline: payments.receiptDeadline,
    proofLifetime: Math.floor(payments.proofLifetime / 1000),
  }
  const { maxTimeoutSeconds } = common.terms
  const onFailure = (error: unknown) => logger.error('a payment could not be decided on', { error })
  const place = { folder: home.data.payments, store: payments.store }
  const store = await openSellerStore(place, shownFor(times, maxTimeoutSeconds), onFailure)
  closers.add(() => store.close())
  const { challenges } = store
  const claims = timedClaims(store.claims, metrics)
  await claims.describe(paymentChain.chainId, asset, { symbol, decimals })
  for (const { terms, ...unit } of tokens.values()) {
    await claims.describe(terms.chainId, terms.asset, unit)
  }
  const settler = await openOwnSettler(context, site, paymentChain, times.clockSkew)
  const settlement = settler && timedSettlement(settler, metrics)
  if (settler === undefined && tokens.size > 0) {
    refuseConfig(
      'other-prices are set, but settler-key names no key to execute their authorizations with',
      'write settler-key = "FILE" with the key of an account that pays the gas, or omit other-prices',
    )
  }
  closers.add(reopenClaims(chain, claims, onFailure))
  const gate = openPaymentGate({
    chain: paymentChain,
    claims,
    challenges,
    ...(settlement !== undefined && { settlement }),
    recovery,
    binding: payments.binding,
    times,
    maxAttempts: payments.maxAttempts,
    onFailure,
  })
  const ledger = await openSellerLedger(place)
  closers.add(() => ledger.close())
  const others = new Map<string, HttpHandler>()
  const { chainId, network, token } = common.terms
  const pageFacts = (): PageFacts => ({
    chainId,
    network,
    binding: payments.binding,
    settler: settler && {
      address: settler.address,
      balance: paymentChain.balanceOf(settler.address),
      figures: settler.figures(),
    },
  })
  others.set(
    PAYMENTS_PAGE,
    localPage(() => renderPayments(ledger, pageFacts())),
  )
  if (settlement !== undefined && settler !== undefined && (dev || payments.facilitator)) {
    const facilitator = new Facilitator({
      chainId,
      network,
      assets: [{ address: asset, token }],
      settlement,
      signer: settler.address,
      claims,
      recovery,
      rules: await facilitatorRules(config, common, {
        home: home.root,
        dev,
        logger,
        chain: paymentChain,
      }),
      onFailure,
    })
    const handle = facilitatorHandler(facilitator, onFailure)
    for (const path of FACILITATOR_PATHS) others.set(path, handle)
  }
  // x402 v2, to which discovery belongs, has authorizations alone
  if (settlement !== undefined) {
    const since = Math.floor(Date.now() / 1000)
    others.set(DISCOVERY_PATH, discoveryHandler(resources, { publicUrl, scheme }, since))
  }
  const handler = new GateHandler({
    gate,
    resources,
    publicUrl,
    scheme,
    others,
    observer: gateObserver(logger, metrics),
  })
  const { listen } = await nodeTransport()
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
  const url = payments.publicUrl || listenUrl(scheme, server)
  logger.info('resources are sold', {
    url,
    resources: resources.length,
    asset,
    binding: payments.binding,
  })
  return { url, token: asset }
}
