import type { Logger } from '../../base/log/logger.ts'
import type { Metrics } from '../../base/metrics/metrics.ts'
import type { Claims } from '../../payments/claim/claims.ts'
import type { GateObserver } from '../../payments/gate/gate-handler.ts'
import type { Settlement } from '../../payments/settle/settlement.ts'
import type { Settler } from '../../payments/settle/settler.ts'

const WEI_PER_TOKEN = 1e18

/**
 * Counts and logs the gate's decisions. No log line contains a proof or a reference, which a reader of the log could
 * use.
 */
export function gateObserver(logger: Logger, metrics: Metrics): GateObserver {
  return {
    onDecision: (resource, decision, milliseconds) => {
      const seconds = milliseconds / 1000
      if (decision.kind === 'admitted') {
        const { protocol, payment } = decision
        metrics.observe('lockstep_payment_decision_seconds', { outcome: protocol }, seconds)
        logger.debug('payment accepted', { resource, ...payment, protocol })
      } else if (decision.reason !== undefined) {
        const { reason } = decision
        metrics.observe('lockstep_payment_decision_seconds', { outcome: 'refused' }, seconds)
        metrics.add('lockstep_payment_refusals_total', { reason })
        logger.debug('payment refused', { resource, reason })
      } else if (decision.status === 402) {
        metrics.add('lockstep_payment_challenges_total', { resource })
      }
    },
    onEnd: (resource, protocol, isDelivered) => {
      const result = isDelivered ? 'delivered' : 'failed'
      metrics.add('lockstep_payments_total', { resource, protocol, result })
      if (!isDelivered)
        logger.warn('a paid request was not served: its payer may retry', { resource })
    },
    onDefect: (error) => logger.error('a paid request failed', { error }),
  }
}

/** Measures how long claims take to reach the disk. */
export function timedClaims(claims: Claims, metrics: Metrics): Claims {
  return {
    claim: async (key, facts, maxAttempts) => {
      const start = performance.now()
      const outcome = await claims.claim(key, facts, maxAttempts)
      metrics.observe('lockstep_payment_claim_seconds', {}, (performance.now() - start) / 1000)
      return outcome
    },
    obstacle: (key, facts) => claims.obstacle(key, facts),
    isHeld: (key) => claims.isHeld(key),
    settling: (key, txHash) => claims.settling(key, txHash),
    settled: (key, txHash) => claims.settled(key, txHash),
    delivered: (key) => claims.delivered(key),
    release: (key) => claims.release(key),
    failed: (key) => claims.failed(key),
    removed: (chainId, txHashes) => claims.removed(chainId, txHashes),
    describe: (chainId, asset, unit) => claims.describe(chainId, asset, unit),
    close: () => claims.close(),
  }
}

/** Measures the duration of settlements. */
export function timedSettlement(settlement: Settlement, metrics: Metrics): Settlement {
  return {
    verify: (proof, terms) => settlement.verify(proof, terms),
    settle: async (proof, terms, sending, signal) => {
      const start = performance.now()
      const result = await settlement.settle(proof, terms, sending, signal)
      const seconds = (performance.now() - start) / 1000
      metrics.observe('lockstep_payment_settle_seconds', { success: `${result.success}` }, seconds)
      return result
    },
  }
}

export function observeSettler(settler: Settler, balance: () => bigint, metrics: Metrics): void {
  metrics.onRender(() => {
    const { inFlight, left } = settler.figures()
    metrics.set('lockstep_payment_settler_balance', {}, Number(balance()) / WEI_PER_TOKEN)
    if (left !== undefined) metrics.set('lockstep_payment_settlements_left', {}, left)
    metrics.set('lockstep_payment_settlements_in_flight', {}, inFlight)
  })
}
