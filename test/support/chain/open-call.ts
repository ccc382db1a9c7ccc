import type { CallArguments } from '../../../host/evm/execute/simulate/call-message.ts'

/** A call with only a sender. */
export const OPEN_CALL: Omit<CallArguments, 'from'> = {
  to: undefined,
  gas: undefined,
  maxFeePerGas: undefined,
  maxPriorityFeePerGas: undefined,
  value: 0n,
  data: new Uint8Array(),
  nonce: undefined,
  accessList: undefined,
  authorizations: undefined,
  maxFeePerBlobGas: undefined,
  blobHashes: undefined,
}
