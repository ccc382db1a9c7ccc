// The module `lockstep/payments/folder`. Its exports are public: a change of one is a change of the package.
export type { Payment } from '../payments/client/payment.ts'
export type { PaymentStore } from '../payments/client/payment-store.ts'
export { folderPayments } from '../payments/folder-payments.ts'
