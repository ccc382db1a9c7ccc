// The public module `lockstep/payments/express`: changing an export changes the API of the package.
export { LockstepError } from '../base/error.ts'
export type { Hex } from '../base/hex.ts'
export {
  type ExpressPaymentOptions,
  type ExpressPayments,
  paymentMiddleware,
} from '../payments/adapter/express.ts'
export type { PaymentOptions, SettlementOptions } from '../payments/adapter/payment-options.ts'
export type { RoutePrice, RouteTable } from '../payments/adapter/priced-routes.ts'
export type { PaymentChain } from '../payments/chain/payment-chain.ts'
export type { AcceptedPayment } from '../payments/gate/payment-gate.ts'
