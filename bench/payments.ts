import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Hex } from 'viem'
import { makeHome, type Ready, removeHome, startDaemon } from '../test/support/node/daemon.ts'
import { type ChildServer, startChildServer } from './payments/child-server.ts'
import { type LoadResult, runLoad } from './payments/load.ts'
import { PreparedPayments, type Protocol, requestBytes } from './payments/prepared.ts'
import { CHAIN_ID } from './payments/resource.ts'
import { median } from './statistics.ts'

/** Requests of a cell by concurrency. If a payment waits for its block, each request takes about a block time. */
const CONCURRENCY = [1, 16, 256] as const
const TRANSFERS = { 1: 300, 16: 2_000, 256: 3_000 } as const
const SETTLED = { 1: 6, 16: 96, 256: 1_536 } as const
/** The published servers settle about 30 a second, so more would take minutes. */
const SETTLED_BY_PUBLISHED = { 1: 6, 16: 80, 256: 256 } as const
/** Requests without a response after this time count as refused. */
const CELL_MS = 12_000

const UNPAID = 500

type Gate = 'lockstep' | 'x402-express 1.2.0' | '@x402/express 2.27.0'

interface Cell {
  readonly gate: Gate
  readonly protocol: Protocol | 'ungated'
  readonly concurrency: number
}

/** Medians of the rounds of each cell, in the order of first measurement. */
class Results {
  readonly #rounds = new Map<string, { readonly cell: Cell; readonly results: LoadResult[] }>()
  readonly #own = new Map<string, number[]>()

  add(cell: Cell, result: LoadResult): void {
    const key = JSON.stringify(cell)
    const entry = this.#rounds.get(key) ?? { cell, results: [] }
    entry.results.push(result)
    this.#rounds.set(key, entry)
  }

  /** Adds the milliseconds that the gate takes for a request alone, without waiting for a block. */
  addOwn(gate: Gate, protocol: Protocol, ms: number): void {
    const key = `${gate} ${protocol}`
    this.#own.set(key, [...(this.#own.get(key) ?? []), ms])
  }

  print(): void {
    for (const { cell, results } of this.#rounds.values()) {
      const of = (pick: (result: LoadResult) => number) => median(results.map(pick))
      const own = this.#own.get(`${cell.gate} ${cell.protocol}`)
      const line = {
        bench: 'payments',
        ...cell,
        per_second: rounded(of((result) => result.perSecond)),
        p50_ms: rounded(of((result) => result.p50)),
        p99_ms: rounded(of((result) => result.p99)),
        ...(own !== undefined && { own_ms: rounded(median(own)) }),
        served: results.map(({ served }) => served),
        refused: results.map(({ refused }) => refused),
      }
      console.log(JSON.stringify(line))
    }
  }
}

function rounded(value: number): number {
  return Number(value.toPrecision(3))
}

/** Reads what a gate says of the resource, in the header of x402's second version and in the body. */
async function readChallenge(port: number, path: string) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`)
  const { accepts } = (await response.json()) as { accepts?: unknown[] }
  const required = response.headers.get('payment-required') ?? ''
  return { required, first: accepts?.[0] }
}

type Challenge = Awaited<ReturnType<typeof readChallenge>>

/** One contender: a gate with its path, a protocol, and a reset. */
interface Contender {
  readonly gate: Gate
  readonly protocol: Protocol
  readonly path: string
  readonly counts: Readonly<Record<(typeof CONCURRENCY)[number], number>>
  start(): Promise<ChildServer>
}

async function prepare(
  { protocol, path }: Contender,
  port: number,
  payments: PreparedPayments,
  count: number,
  challenge: Challenge,
): Promise<Uint8Array[]> {
  const headers =
    protocol === 'contract'
      ? await payments.transfers(count)
      : await payments.authorizations(protocol, count, challenge.required)
  return headers.map((one) => requestBytes(port, path, one))
}

/**
 * Measures a challenge and its follow-up alone. For the contract's proof that is the request with a proof whose block
 * exists. For an authorization it is the verification that facilitators offer, since settlement takes a block time.
 */
async function ownTime(
  contender: Contender,
  port: number,
  payments: PreparedPayments,
  challenge: Challenge,
  paid: LoadResult,
): Promise<number> {
  const { protocol, path } = contender
  const unpaid = Array.from({ length: UNPAID }, () => requestBytes(port, path))
  const asked = await runLoad(port, unpaid, 1, 402)
  if (protocol === 'contract') return asked.p50 + paid.p50
  const requests: Uint8Array[] = []
  for (const header of await payments.authorizations(protocol, UNPAID / 5, challenge.required)) {
    const paymentPayload = JSON.parse(
      Buffer.from(Object.values(header)[0] ?? '', 'base64').toString(),
    )
    const paymentRequirements = paymentPayload.accepted ?? challenge.first
    const x402Version = protocol === 'v1' ? 1 : 2
    const body = JSON.stringify({ x402Version, paymentPayload, paymentRequirements })
    requests.push(requestBytes(port, '/verify', { 'content-type': 'application/json' }, body))
  }
  return asked.p50 + (await runLoad(port, requests, 1)).p50
}

async function measure(
  contender: Contender,
  payments: PreparedPayments,
  results: Results,
): Promise<void> {
  const { gate, protocol, path, counts } = contender
  for (const concurrency of CONCURRENCY) {
    const server = await contender.start()
    try {
      const challenge = await readChallenge(server.port, path)
      const requests = await prepare(
        contender,
        server.port,
        payments,
        counts[concurrency],
        challenge,
      )
      const result = await runLoad(server.port, requests, concurrency, 200, CELL_MS)
      results.add({ gate, protocol, concurrency }, result)
      if (concurrency > 1) continue
      results.addOwn(
        gate,
        protocol,
        await ownTime(contender, server.port, payments, challenge, result),
      )
    } finally {
      await server.stop()
    }
  }
}

async function measureUngated(
  gate: Gate,
  path: string,
  start: () => Promise<ChildServer>,
  results: Results,
): Promise<void> {
  const server = await start()
  try {
    for (const concurrency of CONCURRENCY) {
      const requests = Array.from({ length: TRANSFERS[concurrency] }, () =>
        requestBytes(server.port, path),
      )
      const result = await runLoad(server.port, requests, concurrency)
      results.add({ gate, protocol: 'ungated', concurrency }, result)
    }
  } finally {
    await server.stop()
  }
}

/**
 * Measures paid requests per second and their latency: the daemon's gate next to the published Express servers with
 * their own facilitators, on the same chain, alternating. Prints medians over the rounds, one JSON line each.
 */
export async function runPaymentsBench(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '3' },
      filter: { type: 'string', default: '' },
    },
  })
  const hasPeers = existsSync(
    fileURLToPath(new URL('peers/node_modules/x402-express', import.meta.url)),
  )
  if (!hasPeers)
    console.error(
      'measuring lockstep only: for the peers run `npm install --no-save --prefix bench/peers`',
    )

  const home = makeHome()
  const daemon = await startDaemon({
    home,
    arguments: [
      ...['--chain-id', String(CHAIN_ID), '--log-level', 'warn', '--mempool.size', '1000000'],
      ...['--payments.enable', 'true', '--payments.address', '127.0.0.1:0'],
    ],
  })
  const ready = daemon.ready as Ready & { readonly payments: string; readonly paymentToken: Hex }
  const own: ChildServer = { port: Number(new URL(ready.payments).port), stop: async () => {} }
  const payments = new PreparedPayments(ready.rpc, ready.paymentToken)

  const contenders: readonly Contender[] = [
    {
      gate: 'lockstep',
      protocol: 'contract',
      path: '/weather',
      counts: TRANSFERS,
      start: async () => own,
    },
    {
      gate: 'lockstep',
      protocol: 'v1',
      path: '/x402/weather',
      counts: SETTLED,
      start: async () => own,
    },
    {
      gate: 'x402-express 1.2.0',
      protocol: 'v1',
      path: '/weather',
      counts: SETTLED_BY_PUBLISHED,
      start: () => startChildServer('published-server', ['v1', ready.rpc]),
    },
    {
      gate: 'lockstep',
      protocol: 'v2',
      path: '/x402/weather',
      counts: SETTLED,
      start: async () => own,
    },
    {
      gate: '@x402/express 2.27.0',
      protocol: 'v2',
      path: '/weather',
      counts: SETTLED_BY_PUBLISHED,
      start: () => startChildServer('published-server', ['v2', ready.rpc]),
    },
  ]
  const chosen = contenders.filter(
    ({ gate, protocol }) =>
      `${gate} ${protocol}`.includes(values.filter) && (hasPeers || gate === 'lockstep'),
  )
  const results = new Results()
  try {
    for (let round = 0; round < Number(values.rounds); round++) {
      await measureUngated(
        'lockstep',
        '/weather',
        () => startChildServer('ungated-server', []),
        results,
      )
      if (hasPeers) {
        const start = () => startChildServer('published-server', ['v2', ready.rpc])
        await measureUngated('@x402/express 2.27.0', '/free', start, results)
      }
      for (const contender of chosen) await measure(contender, payments, results)
    }
  } finally {
    payments.close()
    await daemon.stop()
    removeHome(home)
  }
  results.print()
}
