import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Payment } from './client/payment.ts'
import type { PaymentStore } from './client/payment-store.ts'

const SUFFIX = '.json'

/** Returns the result of a read, or undefined if the file does not exist. */
async function orAbsent<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Stores one file per payment, synced to disk before anything else happens. */
class FolderPayments implements PaymentStore {
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
  }

  #path(id: string): string {
    if (!/^0x[0-9a-f]{32}$/.test(id)) {
      throw new TypeError(`"${id}" is not a payment id: 16 bytes in hex`)
    }
    return join(this.#folder, `${id}${SUFFIX}`)
  }

  async #sync(): Promise<void> {
    const folder = await open(this.#folder, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  }

  async list(request: string): Promise<readonly Payment[]> {
    const names = (await orAbsent(readdir(this.#folder))) ?? []
    const found: Payment[] = []
    for (const name of names.filter((one) => one.endsWith(SUFFIX))) {
      // Absent if deleted since the folder was read
      const text = await orAbsent(readFile(join(this.#folder, name), 'utf8'))
      const payment = text === undefined ? undefined : (JSON.parse(text) as Payment)
      if (payment?.request === request) found.push(payment)
    }
    return found
  }

  async put(payment: Payment): Promise<void> {
    const path = this.#path(payment.id)
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    // Owner-only: anyone with a proof may show it
    const file = await open(`${path}.new`, 'w', 0o600)
    try {
      await file.writeFile(JSON.stringify(payment))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(`${path}.new`, path)
    await this.#sync()
  }

  async delete(id: string): Promise<void> {
    await rm(this.#path(id), { force: true })
  }
}

/** Returns a payment store in a folder, which survives crashes of the program. */
export function folderPayments(folder: string): PaymentStore {
  return new FolderPayments(folder)
}
