import { mkdtempSync, rmSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Hex } from '../../../host/base/hex.ts'
import type { PaymentOptions } from '../../../host/payments/adapter/payment-options.ts'
import { serveHttp } from '../http-server.ts'
import { RawSocket } from '../node/raw-socket.ts'
import { PAY_TO, PAYMENT, TOKEN } from './gate-fixture.ts'
import { MemoryPaymentChain, transferLog } from './memory-payment-chain.ts'

function word(value: number): string {
  return value.toString(16).padStart(64, '0')
}

function text(value: string): Hex {
  const data = Buffer.from(value).toString('hex').padEnd(64, '0')
  return `0x${word(32)}${word(value.length)}${data}`
}

/** Results of the token's view functions, by selector. */
const VIEWS: Readonly<Record<string, Hex>> = {
  '0x313ce567': `0x${word(6)}`,
  '0x06fdde03': text('USDC'),
  '0x54fd4d50': text('2'),
}

/** A chain whose blocks a test makes, with a payment token of 6 decimals. */
export class SellerChain extends MemoryPaymentChain {
  override async call(_to?: Hex, data: Hex = '0x'): Promise<Hex> {
    return VIEWS[data] ?? '0x'
  }

  /** Makes a block with a payment of 0.001. */
  pay(): Hex {
    return this.mine([transferLog(PAYMENT)])
  }
}

/** Records what the handlers of an application do, and lets them wait. */
export class HandlerLog {
  /** Paths whose handlers ran, in order. */
  readonly ran: string[] = []
  readonly failures: unknown[] = []
  readonly #waiting: (() => void)[] = []

  note(path: string): void {
    this.ran.push(path)
  }

  /** Resolves at the next `goOn`. */
  pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  goOn(): void {
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

/** Makes the request listener of an application that sells with these options. */
export type MakeApp = (
  options: PaymentOptions,
  log: HandlerLog,
) => { readonly listener: RequestListener; close(): Promise<void> }

export interface SoldApp {
  readonly url: string
  readonly chain: SellerChain
  readonly log: HandlerLog
  /** Sends a raw request and resolves with the whole response. */
  send(request: string): Promise<string>
}

/** Sends bytes and resolves with everything received until the server closes. */
export async function exchange(port: number, request: string): Promise<string> {
  const socket = await RawSocket.connect(port)
  socket.send(Buffer.from(request, 'latin1'))
  return socket.closed()
}

/** Starts an application for the test, with a chain in memory and a new folder. */
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
