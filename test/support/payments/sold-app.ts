import { mkdtempSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { PaymentOptions } from '../../../host/payments/adapter/payment-options.ts'
import { serveHttp } from '../http-server.ts'
import { RawSocket } from '../node/raw-socket.ts'
import { PAY_TO, TOKEN } from './gate-fixture.ts'
import { SellerChain } from './seller-chain.ts'

/** What the handlers of an application have done, and may wait for. */
export class HandlerLog {
  /** Paths whose handlers ran, in order. */
  readonly ran: string[] = []
  readonly failures: unknown[] = []
  readonly #waiting: (() => void)[] = []

  note(path: string): void {
    this.ran.push(path)
  }

  /** Resolves with the next `goOn`. */
  pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  goOn(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

/** Makes the listener of an application that sells with these options. */
export type MakeApp = (
  options: PaymentOptions,
  log: HandlerLog,
) => { readonly listener: RequestListener; close(): Promise<void> }

export interface SoldApp {
  readonly url: string
  readonly chain: SellerChain
  readonly log: HandlerLog
  /** Sends a request as it is written and resolves with all that comes back. */
  send(request: string): Promise<string>
}

/** Sends bytes and resolves with all that comes back until the server closes. */
export async function exchange(port: number, request: string): Promise<string> {
  const socket = await RawSocket.connect(port)
  socket.send(Buffer.from(request, 'latin1'))
  return socket.closed()
}

/** Starts an application for the test, over a chain in memory and a folder of its own. */
export async function startApp(
  make: MakeApp,
  changes: Partial<PaymentOptions> = {},
): Promise<SoldApp> {
  const folder = mkdtempSync(join(tmpdir(), 'seller-'))
  const chain = new SellerChain()
  const log = new HandlerLog()
  const app = make(
    {
      chain,
      asset: TOKEN,
      payTo: PAY_TO,
      folder,
      onFailure: (error) => log.failures.push(error),
      ...changes,
    },
    log,
  )
  const { port, url, close } = await serveHttp(app.listener)
  onTestFinished(async () => {
    log.goOn()
    await close()
    await app.close()
    rmSync(folder, { recursive: true })
  })
  return { url, chain, log, send: (request) => exchange(port, request) }
}
