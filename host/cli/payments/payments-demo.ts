import { STATUS_CODES } from 'node:http'
import type { Command } from 'commander'
import { LockstepError } from '../../base/error.ts'
import { PAYMENT_TOKEN } from '../../evm/chain-types/payment-token.ts'
import { wrapFetchWithPayment } from '../../payments/client/fetch.ts'
import type { Payment } from '../../payments/client/payment.ts'
import { formatTokenAmount } from '../../payments/protocol/token-amount.ts'
import { chooseHome } from '../option/home-option.ts'
import { type DemoNode, runningDemo, startDemo } from './demo-node.ts'
import { DemoWallet } from './demo-wallet.ts'

interface DemoFlags {
  readonly home?: string
  readonly json?: true
}

/** The requests and responses, in order. */
interface Exchange {
  readonly status: number
  /** Name of the header with the proof; null if the request has none. */
  readonly proof: string | null
  readonly body: unknown
}

interface Demo {
  readonly url: string
  readonly exchanges: readonly Exchange[]
  readonly payment: Payment
}

const PROOFS = ['x-payment', 'payment-signature']

async function exchangeOf(headers: Headers, response: Response): Promise<Exchange> {
  const proof = PROOFS.find((name) => headers.has(name)) ?? null
  return { status: response.status, proof, body: await response.clone().json() }
}

/** Requests a resource, pays for it, and presents the proof a second time. */
async function runDemo({ rpc, gate, chainId }: DemoNode): Promise<Demo> {
  const url = `${gate}/weather`
  const exchanges: Exchange[] = []
  let payment: Payment | undefined
  let proof: RequestInit = {}
  const watched: typeof fetch = async (input, init = {}) => {
    const response = await fetch(input, init)
    const headers = new Headers(init.headers)
    const exchange = await exchangeOf(headers, response)
    exchanges.push(exchange)
    if (exchange.proof !== null) proof = { headers }
    return response
  }
  const pay = wrapFetchWithPayment(watched, new DemoWallet(rpc, chainId), {
    prefer: 'transfer',
    onPaid: (paid) => {
      payment = paid
    },
  })
  await pay(url)
  await watched(url, proof)
  if (payment === undefined) {
    throw new LockstepError('NOT_FOUND', `${url} was served without a payment`, {
      hint: 'use the gate of a dev node with its default configuration',
    })
  }
  return { url, exchanges, payment }
}

function statusText({ status }: Exchange): string {
  return `${status} ${STATUS_CODES[status]}`
}

function toText({ url, exchanges, payment }: Demo): string {
  const [asked, served, again] = exchanges
  const { amount, payTo, payer, network, transfer } = payment
  const { symbol, decimals } = PAYMENT_TOKEN
  const price = `${formatTokenAmount(BigInt(amount), decimals)} ${symbol}`
  const lines = [
    `GET ${url}`,
    ...(asked === undefined ? [] : [`  ${statusText(asked)}: ${price} to ${payTo} on ${network}`]),
    '',
    `Transfer of ${price} from ${payer}`,
    `  transaction ${transfer?.txHash}`,
    '',
    `GET ${url} with its proof in X-Payment`,
    ...(served === undefined ? [] : [`  ${statusText(served)}: ${JSON.stringify(served.body)}`]),
    '',
    'The same proof once more',
    ...(again === undefined
      ? []
      : [`  ${statusText(again)}: ${(again.body as { invalidReason?: string }).invalidReason}`]),
    '',
  ]
  return lines.join('\n')
}

function toJson({ url, exchanges, payment }: Demo): string {
  const { amount, asset, network, payer, payTo, transfer } = payment
  const paid = { transaction: transfer?.txHash, amount, asset, network, payer, payTo }
  return `${JSON.stringify({ url, exchanges, payment: paid })}\n`
}

export function definePaymentsDemo(command: Command): void {
  command
    .option(
      '--home <DIR>',
      'home of a running dev node with a payment gate; by default one is started',
    )
    .option('--json', 'print an object')
    .action(async (flags: DemoFlags) => {
      const isOwn = flags.home === undefined
      if (isOwn && flags.json === undefined) {
        process.stderr.write('Starting a dev chain with a payment gate in a temporary folder\n')
      }
      const node = isOwn ? await startDemo() : runningDemo(chooseHome(flags.home))
      try {
        const demo = await runDemo(node)
        process.stdout.write(flags.json === true ? toJson(demo) : toText(demo))
      } finally {
        await node.stop()
      }
    })
}
