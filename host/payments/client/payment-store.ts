import type { Payment } from './payment.ts'

/**
 * Payments whose responses are not there yet. A payment is put before anything is signed or sent, and deleted once its
 * response has come: what is in the store after a crash is money that a response is still due for. One process uses a
 * store at a time.
 */
export interface PaymentStore {
  /** Those for a request, by its digest. */
  list(request: string): Promise<readonly Payment[]>
  /** Keeps a payment, in place of the one with its id. Resolves once it is as durable as the store makes it. */
  put(payment: Payment): Promise<void>
  delete(id: string): Promise<void>
}

/** Keeps payments as long as the program runs. */
export function memoryPayments(): PaymentStore {
  const payments = new Map<string, Payment>()
  return {
    list: async (request) => [...payments.values()].filter((one) => one.request === request),
    put: async (payment) => void payments.set(payment.id, payment),
    delete: async (id) => void payments.delete(id),
  }
}

/** What is needed of `localStorage`. */
export interface TextStorage {
  readonly length: number
  key(index: number): string | null
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** Keeps payments in `localStorage`, so that they outlive the page, under names that begin with `prefix`. */
export function storagePayments(storage: TextStorage, prefix = 'lockstep payment '): PaymentStore {
  const names = () =>
    Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '').filter((name) =>
      name.startsWith(prefix),
    )
  return {
    list: async (request) =>
      names()
        .map((name) => JSON.parse(storage.getItem(name) ?? 'null') as Payment | null)
        .filter((payment) => payment !== null)
        .filter((payment) => payment.request === request),
    put: async (payment) => storage.setItem(prefix + payment.id, JSON.stringify(payment)),
    delete: async (id) => storage.removeItem(prefix + id),
  }
}
