import { impersonatedSignature } from '../../../../host/evm/chain-types/impersonation.ts'
import {
  encodeTransaction,
  type UnsignedTransaction,
} from '../../../../host/evm/chain-types/transaction-codec.ts'
import { PLAIN_FIELDS } from '../../../support/engine/unsigned-sender.ts'

const GWEI = 10n ** 9n

/** Returns an impersonated transfer of 1 wei from `sender` to 0x1111…1111. */
export function transferAs(
  sender: Uint8Array,
  fields: Partial<UnsignedTransaction> = {},
): Uint8Array {
  const unsigned: UnsignedTransaction = {
    ...PLAIN_FIELDS,
    type: 2,
    chainId: 31337n,
    nonce: 0n,
    gas: 21_000n,
    maxFeePerGas: 10n * GWEI,
    maxPriorityFeePerGas: GWEI,
    to: new Uint8Array(20).fill(1),
    value: 1n,
    ...fields,
  }
  const { type, chainId } = unsigned
  return encodeTransaction(
    unsigned,
    impersonatedSignature(sender, type === 0 ? chainId : undefined),
  )
}
