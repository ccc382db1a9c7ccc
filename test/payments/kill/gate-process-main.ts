import type { IncomingMessage, ServerResponse } from 'node:http'
import { parseSecret } from '../../../host/evm/chain-types/account-key.ts'
import { nobleRecovery } from '../../../host/evm/chain-types/noble-recovery.ts'
import { DEFAULT_TIMES, openPaymentGate } from '../../../host/payments/gate/open-payment-gate.ts'
import type { PaymentGate } from '../../../host/payments/gate/payment-gate.ts'
import { openSettler } from '../../../host/payments/settle/settler.ts'
import { openSellerStore } from '../../../host/payments/store/seller-store.ts'
import { serveHttp } from '../../support/http-server.ts'
import { makeRandom } from '../../support/random.ts'
import type { FromGate, ToGate } from './gate-messages.ts'
import { SOLD } from './kill-terms.ts'
import { RemoteChain } from './remote-chain.ts'

// Runs a gate with its claims, challenges, settler and HTTP server, to be killed with kill -9.

/** Share of admitted requests whose resource cannot be served. */
const BROKEN = 0.1

const chain = new RemoteChain()

function tell(message: FromGate): void {
  process.send?.(message)
}

async function answer(
  gate: PaymentGate,
  random: () => number,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const resource = SOLD.find(({ path }) => path === url.pathname)
  if (resource === undefined) {
    response.writeHead(404).end()
    return
  }
  const decision = await gate.decide(resource, {
    method: request.method ?? 'GET',
    url,
    header: (name) => request.headersDistinct[name] ?? [],
    signal: new AbortController().signal,
  })
  if (decision.kind === 'refused') {
    response.writeHead(decision.status, decision.headers).end(decision.body)
    return
  }
  if (random() < BROKEN) {
    await decision.failed()
    response.writeHead(502).end()
    return
  }
  response.writeHead(200, decision.headers).end(JSON.stringify(decision.payment))
  await decision.delivered()
  tell({ kind: 'marked', proof: request.headersDistinct['x-payment']?.[0] ?? '' })
}

async function open({ binding, settler, seed, ...place }: Extract<ToGate, { kind: 'open' }>) {
  const onFailure = (error: unknown) => tell({ kind: 'failure', text: String(error) })
  const { claims, challenges } = await openSellerStore(place, 3_600, onFailure)
  const random = makeRandom(seed)
  const gate = openPaymentGate({
    chain,
    claims,
    challenges,
    settlement: await openSettler({ chain, recovery: nobleRecovery, key: parseSecret(settler) }),
    recovery: nobleRecovery,
    binding,
    // The upstream fails at random, and each payment must be served in the end.
    maxAttempts: 1_000,
    times: DEFAULT_TIMES,
    onFailure,
  })
  const { url } = await serveHttp((request, response) => {
    answer(gate, random, request, response).catch((error) => {
      tell({ kind: 'failure', text: String(error) })
      response.destroy()
    })
  })
  tell({ kind: 'ready', url })
}

process.on('message', (message: ToGate) => {
  if (message.kind !== 'open') chain.take(message)
  else
    open(message).catch((error) => tell({ kind: 'failure', text: String(error?.stack ?? error) }))
})

// The test process has ended, normally or not.
process.on('disconnect', () => process.exit())
