// The public module `lockstep/payments/folder`: changing an export changes the API of the package.
export type { Payment } from '../payments/client/payment.ts'
export type { PaymentStore } from '../payments/client/payment-store.ts'
export { folderPayments } from '../payments/folder-payments.ts'
