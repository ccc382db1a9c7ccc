import type { Config } from '../../base/config/schema.ts'
import type { Hex } from '../../base/hex.ts'
import type { Keccak256 } from '../../evm/chain-types/signature-recovery.ts'
import type { PaymentChain } from '../../payments/chain/payment-chain.ts'
import { hasAuthorizations, readTokenFacts } from '../../payments/gate/token-facts.ts'
import type { PaymentTerms } from '../../payments/protocol/terms.ts'
import { type CommonTerms, configuredAddress, refuseConfig, termsOf } from './payment-terms.ts'

/** The tokens of `other-prices`, by lower-case address. */
export type OtherTokens = ReadonlyMap<Hex, CommonTerms>

type Resource = Config['payments']['resource'][number]

/**
 * Reads the tokens of all `other-prices`.
 * @throws CONFIG_INVALID with the remedy
 */
export async function otherTokens(
  { payments }: Config,
  common: CommonTerms,
  chain: PaymentChain,
  keccak256: Keccak256,
): Promise<OtherTokens> {
  const found = new Map<Hex, CommonTerms>()
  for (const { path, otherPrices } of payments.resource) {
    for (const { asset: named } of otherPrices) {
      const where = `other-prices of ${path}`
      const asset = configuredAddress(where, named, keccak256)
      if (asset === common.terms.asset) {
        refuseConfig(`${where} name ${asset}, which is asset`, 'write its price as price')
      }
      if (!found.has(asset)) found.set(asset, await readToken(where, asset, common, chain))
    }
  }
  return found
}

async function readToken(
  where: string,
  asset: Hex,
  { terms }: CommonTerms,
  chain: PaymentChain,
): Promise<CommonTerms> {
  const token = await readTokenFacts(chain, asset)
  if (token === undefined) {
    refuseConfig(
      `${where}: chain ${chain.chainId} has no token with decimals() at ${asset}`,
      "compare the address with the token's own page, and the chain id with the network's",
    )
  }
  if (!(await hasAuthorizations(chain, asset))) {
    refuseConfig(
      `${where}: ${token.symbol || asset} has no EIP-3009 authorizations`,
      'omit it: another token than asset is paid by authorizations only',
    )
  }
  const { decimals, symbol, domain } = token
  return { terms: { ...terms, asset, token: domain }, decimals, symbol }
}

/** Returns the terms of a resource in other tokens. @throws CONFIG_INVALID if a price has too many decimals */
export function otherTermsOf(
  { path, otherPrices }: Resource,
  tokens: OtherTokens,
): readonly PaymentTerms[] {
  return otherPrices.map(({ price, asset }) => {
    const token = tokens.get(asset.toLowerCase() as Hex)
    if (token === undefined) throw new TypeError(`the token ${asset} was not read`)
    return termsOf(token, path, price)
  })
}
