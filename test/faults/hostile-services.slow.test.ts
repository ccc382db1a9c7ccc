import { readdirSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Hex } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { type DaemonOptions, makeHome, removeHome, startDaemon } from '../support/node/daemon.ts'
import { minedReceipt } from '../support/node/progress.ts'
import { PAY_TO, PRICE } from '../support/payments/gate-node.ts'
import { firstVersionProof, header64 } from '../support/payments/hand-made-proof.ts'
import { Payer } from '../support/payments/payer.ts'
import { until } from '../support/until.ts'
import { MIXED_TOKEN, MixedNode } from './mixed/mixed-node.ts'

const CLOCK = fileURLToPath(new URL('./shifted-clock.mjs', import.meta.url))
const HOUR = 3_600

async function startNode(way: Pick<DaemonOptions, 'before' | 'variables'>, home = makeHome()) {
  onTestFinished(() => removeHome(home))
  const node = await MixedNode.make(home, way)
  onTestFinished(() => node.end())
  return node
}

const answerOf = async (response: Response): Promise<string> => {
  const text = await response.text()
  if (response.status === 200) return 'served'
  return `${response.status} ${(JSON.parse(text) as { invalidReason?: string }).invalidReason}`
}

/** Pays by authorizations that the node settles. */
class Buyer {
  readonly #node: MixedNode
  readonly #payer: Payer

  constructor(node: MixedNode, index: number) {
    this.#node = node
    this.#payer = new Payer(index, node.daemon.ready.rpc, MIXED_TOKEN)
  }

  async proof(validFor = 1_000 * HOUR): Promise<string> {
    const now = BigInt(Math.floor(Date.now() / 1000))
    const window = { validAfter: now - BigInt(validFor), validBefore: now + BigInt(validFor) }
    const signed = await this.#payer.authorize({ to: PAY_TO, value: PRICE, ...window })
    return header64(firstVersionProof('eip155:31337', signed))
  }

  async show(proof: string): Promise<string> {
    const url = `${this.#node.daemon.ready.payments}/x402`
    return answerOf(await fetch(url, { headers: { 'x-payment': proof } }))
  }
}

/** Sends a request to the wallet service. Returns the status and the body of the response. */
async function askWallets(node: MixedNode, path: string, body: object, key: string) {
  const { appId, appSecret } = node.app
  const response = await fetch(`${node.daemon.ready.wallets}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${btoa(`${appId}:${appSecret}`)}`,
      'wallet-app-id': appId,
      'wallet-idempotency-key': key,
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

async function openSockets(url: string, count: number): Promise<Socket[]> {
  const { port } = new URL(url)
  return Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<Socket>((resolve) => {
          const socket = connect(Number(port), '127.0.0.1', () => resolve(socket))
          socket.on('error', () => resolve(socket))
        }),
    ),
  )
}

const limited = (files: number) => ['sh', '-c', `ulimit -n ${files} && exec "$@"`, 'sh']

test('a node with a limit of 64 file descriptors refuses to start, with the remedy, before it creates a file', async () => {
  const home = makeHome()
  onTestFinished(() => removeHome(home))
  const starting = startDaemon({ home, before: limited(64) })
  await expect(starting).rejects.toThrow(/node ended with 78 before ready:/)
  const said = await starting.catch(String)
  expect(said).toContain('the limit of open files is 64: a node needs at least 256')
  expect(said).toContain('ulimit -n 65536')
  expect(readdirSync(home)).toEqual([])
})

test('a node whose clients exhaust its 256 file descriptors serves payments and wallets again after they disconnect', async () => {
  const node = await startNode({ before: limited(256) })
  const buyer = new Buyer(node, 3)
  const proof = await buyer.proof()
  const taken: Socket[] = []
  for (const url of [node.daemon.ready.payments, node.daemon.ready.wallets] as string[]) {
    taken.push(...(await openSockets(url, 300)))
  }
  for (const socket of taken) socket.destroy()
  let answer = ''
  // The node closes its side of the sockets a little later.
  await until(async () => {
    answer = await buyer.show(proof).catch(String)
    return answer === 'served'
  })
  expect(await buyer.show(proof)).toBe('402 payment_spent')
  const wallet = { chain_type: 'ethereum' }
  let status = 0
  await until(async () => {
    const made = await askWallets(node, '/v1/wallets', wallet, 'one').catch(() => undefined)
    status = made?.status ?? 0
    return status < 500 && status > 0
  })
  expect(status).toBe(200)
  expect(await node.stop(), node.daemon.output()).toBe(0)
})

test('a node whose clock jumps forward and back serves no payment twice and sends no transaction twice', async () => {
  const home = makeHome()
  const clock = join(home, 'clock')
  const setClock = (seconds: number) => writeFileSync(clock, `${seconds}`)
  setClock(0)
  const node = await startNode(
    {
      variables: {
        NODE_OPTIONS: `--import=${pathToFileURL(CLOCK).href}`,
        SHIFTED_CLOCK_FILE: clock,
      },
    },
    home,
  )
  const { rpc } = node.daemon.ready
  const buyer = new Buyer(node, 3)
  const made = await askWallets(node, '/v1/wallets', { chain_type: 'ethereum' }, 'wallet')
  const wallet = { ...made.body } as { id: string; address: Hex }
  const funder = new Payer(0, rpc, MIXED_TOKEN)
  await funder.send(wallet.address, '0x')
  const proofs: string[] = []
  for (const seconds of [0, 2 * HOUR, -2 * HOUR, 30 * HOUR, 0]) {
    setClock(seconds)
    const proof = await buyer.proof()
    expect([seconds, await buyer.show(proof)]).toEqual([seconds, 'served'])
    proofs.push(proof)
    for (const spent of proofs) {
      expect([seconds, await buyer.show(spent)]).toEqual([seconds, '402 payment_spent'])
    }
    const signed = await askWallets(
      node,
      `/v1/wallets/${wallet.id}/rpc`,
      { method: 'personal_sign', params: { message: 'hello', encoding: 'utf-8' } },
      'sign',
    )
    expect([seconds, signed.status]).toEqual([seconds, 200])
    await minedReceipt(rpc, await funder.submit(PAY_TO, '0x'))
  }
  expect(await node.stop(), node.daemon.output()).toBe(0)
})
