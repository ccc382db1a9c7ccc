/**
 * Why a transaction is rejected. The order is that of geth's checks (core/state_transition.go), so that a transaction
 * that breaks several rules gets the same message. The number of each is its index + 1.
 * host/evm/execute/rejection-text.ts has the messages.
 */
export const REJECTIONS = [
  'typeNotSupported',
  'nonceTooHigh',
  'nonceTooLow',
  'nonceOverflow',
  'gasLimitTooHigh',
  'senderHasCode',
  'tipAboveFeeCap',
  'feeCapBelowBaseFee',
  'blobCreation',
  'blobWithoutHashes',
  'blobVersionWrong',
  'blobCountTooHigh',
  'blobFeeCapTooLow',
  'setCodeCreation',
  'authorizationListEmpty',
  'insufficientFunds',
  'gasLimitExceedsBlock',
  'intrinsicGasTooLow',
  'floorDataGasTooLow',
  'intrinsicGasTooHigh',
  'initCodeTooLarge',
] as const
