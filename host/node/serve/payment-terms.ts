import type { Config } from '../../base/config/schema.ts'
import { DEV_ACCOUNTS } from '../../base/dev-accounts.ts'
import { LockstepError } from '../../base/error.ts'
import { formatData, type Hex, parseFixedData } from '../../base/hex.ts'
import { checksumAddress } from '../../evm/chain-types/address.ts'
import { paymentTokenOf } from '../../evm/chain-types/payment-token.ts'
import type { Keccak256 } from '../../evm/chain-types/signature-recovery.ts'
import type { PaymentChain } from '../../payments/chain/payment-chain.ts'
import { readTokenFacts } from '../../payments/gate/token-facts.ts'
import { isNameOfOther, networkName } from '../../payments/protocol/network.ts'
import type { PaymentTerms } from '../../payments/protocol/terms.ts'
import { formatTokenAmount, tokenUnits } from '../../payments/protocol/token-amount.ts'

/** Terms that all resources share, without the price. */
export interface CommonTerms {
  readonly terms: Omit<PaymentTerms, 'amount'>
  readonly decimals: number
  readonly symbol: string
}

const ZERO = `0x${'00'.repeat(20)}`

/** Default payee under --dev. */
const DEV_PAYEE = DEV_ACCOUNTS[9]

/** @throws always CONFIG_INVALID */
export function refuseConfig(message: string, hint: string): never {
  throw new LockstepError('CONFIG_INVALID', `[payments] ${message}`, { hint })
}

/** Returns a configured address in lower case. @throws CONFIG_INVALID if its EIP-55 checksum is wrong */
export function configuredAddress(name: string, text: string, keccak256: Keccak256): Hex {
  const bytes = parseFixedData(text, 20)
  const lower = formatData(bytes)
  const isMixed = text !== lower && text.slice(2) !== text.slice(2).toUpperCase()
  const right = checksumAddress(bytes, keccak256)
  if (isMixed && text !== right) {
    refuseConfig(
      `${name} = "${text}" does not have a valid EIP-55 checksum`,
      `compare it with its source: a digit is wrong, unless it is ${right}`,
    )
  }
  return lower
}

/**
 * Returns the configured terms, with metadata of the token.
 * @throws CONFIG_INVALID with the remedy
 */
export async function commonTerms(
  { payments }: Config,
  chain: PaymentChain,
  keccak256: Keccak256,
  dev: boolean,
): Promise<CommonTerms> {
  const { asset: named, payTo: payee } = payments
  const { chainId } = chain
  if (named === '' && !dev) {
    refuseConfig(
      'asset is not set',
      'write asset = "0x..." with the address of the token that pays',
    )
  }
  if (payee === '' && !dev) {
    refuseConfig(
      'pay-to is not set',
      'write pay-to = "0x..." with the account that receives payments',
    )
  }
  if (isNameOfOther(payments.network, chainId)) {
    refuseConfig(
      `network = "${payments.network}" is the name of another chain than ${chainId}`,
      `omit network: the published name of this chain is ${networkName(chainId)}`,
    )
  }
  const asset = configuredAddress(
    'asset',
    named === '' ? paymentTokenOf(chainId) : named,
    keccak256,
  )
  const payTo = configuredAddress(
    'pay-to',
    payee === '' ? (DEV_PAYEE?.address ?? ZERO) : payee,
    keccak256,
  )
  if (payTo === ZERO) {
    refuseConfig(
      'pay-to is the zero address',
      'write an account of yours: payments to this one would be lost',
    )
  }
  if (payTo === asset) {
    refuseConfig(
      'pay-to is the token itself',
      'write an account of yours: payments to this one would be lost',
    )
  }
  const token = await readTokenFacts(chain, asset)
  if (token === undefined) {
    refuseConfig(
      `asset = "${asset}": chain ${chainId} has no token with decimals() there`,
      dev
        ? 'this home was created before there was a dev token: start a new one with another --home, or write the address of a token in asset'
        : "compare the address with the token's own page, and the chain id with the network's; " +
            'a node that is still syncing can serve payments once it has the token',
    )
  }
  return {
    terms: {
      chainId,
      network: payments.network === '' ? networkName(chainId) : payments.network,
      asset,
      token: token.domain,
      payTo,
      maxTimeoutSeconds: Math.floor(payments.maxTimeout / 1000),
    },
    decimals: token.decimals,
    symbol: token.symbol,
  }
}

/**
 * Returns the terms of a resource.
 * @param path of the resource, for messages
 * @throws CONFIG_INVALID if its price has more decimals than the token
 */
export function termsOf(
  { terms, decimals }: CommonTerms,
  path: string,
  price: string,
): PaymentTerms {
  const amount = tokenUnits(price, decimals)
  if (amount === undefined) {
    refuseConfig(
      `price = "${price}" of ${path} has more than the ${decimals} decimals of ${terms.token.name || 'the token'}`,
      `write a multiple of ${formatTokenAmount(1n, decimals)}`,
    )
  }
  return { ...terms, amount }
}
