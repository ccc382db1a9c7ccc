import type { Hex } from '../../base/hex.ts'
import type { PaymentLog } from './payment-chain.ts'

/** `Transfer(address,address,uint256)` of ERC-20. */
const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** `AuthorizationUsed(address,bytes32)` of EIP-3009. */
export const AUTHORIZATION_USED: Hex =
  '0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5'

/** An ERC-20 transfer. Addresses are lower case, the amount is in the asset's smallest unit. */
export interface TokenTransfer {
  readonly asset: Hex
  readonly from: Hex
  readonly to: Hex
  readonly amount: bigint
}

/** Returns an address as a 32-byte topic. */
export function addressTopic(address: Hex): Hex {
  return `0x${address.slice(2).padStart(64, '0')}`
}

/** Returns whether a log records exactly this transfer. A fee-on-transfer token logs a smaller amount. */
export function isTransferLog(log: PaymentLog, transfer: TokenTransfer): boolean {
  const { asset, from, to, amount } = transfer
  return (
    log.address === asset &&
    log.topics.length === 3 &&
    log.topics[0] === TRANSFER &&
    log.topics[1] === addressTopic(from) &&
    log.topics[2] === addressTopic(to) &&
    log.data === `0x${amount.toString(16).padStart(64, '0')}`
  )
}

/** Returns whether a log records an executed authorization of `from`, and of this nonce if given. */
export function isAuthorizationLog(log: PaymentLog, asset: Hex, from: Hex, nonce?: Hex): boolean {
  return (
    log.address === asset &&
    log.topics[0] === AUTHORIZATION_USED &&
    log.topics[1] === addressTopic(from) &&
    (nonce === undefined || log.topics[2] === nonce)
  )
}
