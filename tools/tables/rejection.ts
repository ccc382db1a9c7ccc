/**
 * Why a transaction is refused, in the order in which geth (core/state_transition.go) checks the rules, so
 * that one which breaks several gets the same text: the number of each is its index + 1.
 * host/evm/execute/rejection-text.ts has the texts.
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
  'initCodeTooLarge',
] as const
