import { resolve } from 'node:path'
import type { Config } from '../../base/config/schema.ts'
import type { Hex } from '../../base/hex.ts'
import type { Logger } from '../../base/log/logger.ts'
import type { PaymentChain } from '../../payments/chain/payment-chain.ts'
import { tokenUnits } from '../../payments/protocol/token-amount.ts'
import {
  type FacilitatorAccess,
  FacilitatorRules,
  type LeastAmount,
} from '../../payments/settle/facilitator-rules.ts'
import { readFacilitatorTokens } from '../../payments/settle/facilitator-tokens.ts'
import { type CommonTerms, refuseConfig } from './payment-terms.ts'

export interface FacilitatorSite {
  /** Folder of the home. */
  readonly home: string
  readonly dev: boolean
  readonly logger: Logger
  readonly chain: PaymentChain
}

const NATIVE_DECIMALS = 18

async function accessOf(
  { payments }: Config,
  { home, dev, logger }: FacilitatorSite,
): Promise<FacilitatorAccess> {
  const payees = payments.facilitatorPayees.map((payee) => payee.toLowerCase() as Hex)
  const file = payments.facilitatorTokens
  if (payees.length > 0 || file !== '') {
    return {
      ...(payees.length > 0 && { payees }),
      ...(file !== '' && { tokens: await readFacilitatorTokens(resolve(home, file)) }),
    }
  }
  if (!dev) {
    refuseConfig(
      'facilitator is true, but nothing says for whom it pays gas',
      'write facilitator-payees = ["0x..."] with the accounts that it settles for, ' +
        'or facilitator-tokens = "FILE" with tokens that its callers send',
    )
  }
  logger.info('the facilitator of this development node settles for every payee')
  return { isOpen: true }
}

function leastAmount(
  { payments }: Config,
  { terms, decimals }: CommonTerms,
  chain: PaymentChain,
): LeastAmount {
  const { facilitatorMinAmount: least, facilitatorTokenPrice: price } = payments
  if (least === '') {
    const tokenPrice = tokenUnits(price, NATIVE_DECIMALS)
    if (tokenPrice !== undefined) return { chain, tokenPrice, decimals }
    return refuseConfig(
      `facilitator-token-price = "${price}" has more than ${NATIVE_DECIMALS} decimals`,
      'write fewer of them',
    )
  }
  const amount = tokenUnits(least, decimals)
  if (amount !== undefined) return { amount }
  return refuseConfig(
    `facilitator-min-amount = "${least}" has more than the ${decimals} decimals of ${terms.token.name || 'the token'}`,
    'write fewer of them',
  )
}

/**
 * Returns for whom and for which amounts a node's facilitator settles.
 * @throws CONFIG_INVALID with the remedy
 */
export async function facilitatorRules(
  config: Config,
  common: CommonTerms,
  site: FacilitatorSite,
): Promise<FacilitatorRules> {
  const { facilitatorMaxPerMinute: perMinute, facilitatorMaxInFlight: inFlight } = config.payments
  const access = await accessOf(config, site)
  return new FacilitatorRules(access, leastAmount(config, common, site.chain), {
    perMinute,
    inFlight,
  })
}
