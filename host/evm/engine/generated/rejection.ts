// Written by tools/generate-tables.ts from tools/tables/rejection.ts; do not edit.

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
