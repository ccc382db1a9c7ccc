import { formatData } from '../../base/hex.ts'
import { checksumAddress } from '../chain-types/address.ts'
import { BLOB_GAS } from '../chain-types/generated/gas.ts'
import { maxInitcode } from '../chain-types/generated/limit.ts'
import type { Keccak256 } from '../chain-types/signature-recovery.ts'
import type { BlockEnv, TransactionInput } from '../engine/message.ts'
import type { RejectionCode } from '../engine/outcome.ts'
import type { Account } from '../state/account.ts'
import { floorDataGas, intrinsicGas, transactionGasCap } from './intrinsic-gas.ts'

/**
 * Returns geth's message for a rejection (core/error.go, core/state_transition.go). `sender` is the account before
 * it.
 */
export function rejectionText(
  code: RejectionCode,
  transaction: TransactionInput,
  env: BlockEnv,
  sender: Account,
  keccak256: Keccak256,
): string {
  const { nonce, gas, data, value, maxFeePerGas, maxPriorityFeePerGas } = transaction
  const from = checksumAddress(transaction.from, keccak256)
  const address = `address ${from}`
  const blobFee = BLOB_GAS * BigInt(transaction.blobHashes.length) * transaction.maxFeePerBlobGas
  switch (code) {
    case 'typeNotSupported':
      return 'transaction type not supported'
    case 'nonceTooLow':
      return `nonce too low: ${address}, tx: ${nonce} state: ${sender.nonce}`
    case 'nonceTooHigh':
      return `nonce too high: ${address}, tx: ${nonce} state: ${sender.nonce}`
    case 'nonceOverflow':
      return `nonce has max value: ${address}, nonce: ${nonce}`
    case 'senderHasCode':
      return `sender not an eoa: ${address}, codehash: ${formatData(sender.codeHash)}`
    case 'tipAboveFeeCap':
      return (
        `max priority fee per gas higher than max fee per gas: ${address}, ` +
        `maxPriorityFeePerGas: ${maxPriorityFeePerGas}, maxFeePerGas: ${maxFeePerGas}`
      )
    case 'feeCapBelowBaseFee':
      return (
        `max fee per gas less than block base fee: ${address}, ` +
        `maxFeePerGas: ${maxFeePerGas}, baseFee: ${env.baseFee}`
      )
    case 'insufficientFunds':
      return (
        `insufficient funds for gas * price + value: ${address} ` +
        `have ${sender.balance} want ${gas * maxFeePerGas + value + blobFee}`
      )
    case 'intrinsicGasTooLow':
      return `intrinsic gas too low: have ${gas}, want ${intrinsicGas(transaction, env.revision)}`
    case 'floorDataGasTooLow':
      return `insufficient gas for floor data gas cost: have ${gas}, want ${floorDataGas(transaction, env.revision)}`
    case 'intrinsicGasTooHigh':
      return (
        `insufficient gas for floor data gas cost: intrinsic cost ${intrinsicGas(transaction, env.revision)}, ` +
        `floor: ${floorDataGas(transaction, env.revision)}`
      )
    case 'initCodeTooLarge':
      return `max initcode size exceeded: code size ${data.length} limit ${maxInitcode(env.revision)}`
    case 'gasLimitTooHigh':
      return `transaction gas limit too high (cap: ${transactionGasCap(env.revision)}, tx: ${gas})`
    case 'gasLimitExceedsBlock':
      return `gas limit reached: have ${env.gasLimit}, want ${gas}`
    case 'blobWithoutHashes':
      return 'blob transaction missing blob hashes'
    case 'blobVersionWrong':
      return 'blob has invalid hash version'
    case 'blobCountTooHigh':
      return 'blob transaction has too many blobs'
    case 'blobFeeCapTooLow':
      return (
        `max fee per blob gas less than block blob gas fee: ${address} ` +
        `blobGasFeeCap: ${transaction.maxFeePerBlobGas}, blobBaseFee: ${env.blobBaseFee}`
      )
    case 'blobCreation':
      return 'blob transaction of type create'
    case 'authorizationListEmpty':
      return `EIP-7702 transaction with empty auth list (sender ${from})`
    case 'setCodeCreation':
      return `EIP-7702 transaction cannot be used to create contract (sender ${from})`
  }
}
