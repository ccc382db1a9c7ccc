// The public module `lockstep/payments/fetch`: changing an export changes the API of the package.
export type { Hex } from '../base/hex.ts'
export { wrapFetchWithPayment } from '../payments/client/fetch.ts'
export type { Amounts, PaymentLimits } from '../payments/client/limits.ts'
export type { Authorization, Payment, Transfer } from '../payments/client/payment.ts'
export { PaymentError, type PaymentErrorCode } from '../payments/client/payment-error.ts'
export type { PaymentOptions } from '../payments/client/payment-options.ts'
export {
  memoryPayments,
  type PaymentStore,
  storagePayments,
  type TextStorage,
} from '../payments/client/payment-store.ts'
export type { PayingWallet } from '../payments/client/wallet.ts'
