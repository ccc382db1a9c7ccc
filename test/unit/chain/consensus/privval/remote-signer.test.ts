import { once } from 'node:events'
import { createConnection, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import { equalBytes } from '../../../../../host/base/bytes.ts'
import type { SignerAddress } from '../../../../../host/base/config/signer-address.ts'
import { createLogger } from '../../../../../host/base/log/pino-logger.ts'
import { generateKey, verifySignature } from '../../../../../host/chain/consensus/comet/ed25519.ts'
import {
  extensionSignBytes,
  VOTE_TYPE,
  type Vote,
  voteSignBytes,
} from '../../../../../host/chain/consensus/comet/vote.ts'
import { NO_PROPOSAL, NO_VOTE } from '../../../../../host/chain/consensus/privval/message-codec.ts'
import { RemoteSigner } from '../../../../../host/chain/consensus/privval/remote-signer.ts'
import { serveNode } from '../../../../../host/chain/consensus/privval/serve-node.ts'
import { answerNode } from '../../../../../host/chain/consensus/privval/signer-answer.ts'
import type { SignMemory } from '../../../../../host/chain/consensus/validator/sign-memory.ts'
import {
  type SignState,
  STEP,
  UNSIGNED,
} from '../../../../../host/chain/consensus/validator/sign-state.ts'
import { makeRandom, runSeed } from '../../../../support/random.ts'
import { until } from '../../../../support/until.ts'

const seed = runSeed()
const CHAIN = 'test-1'
const LOOPBACK: SignerAddress = { kind: 'tcp', host: '127.0.0.1', port: 0 }
const key = generateKey()

/** A record in memory that keeps every state that was written. */
class TestRecord implements SignMemory {
  readonly isBound = true
  readonly written: SignState[] = []

  get state(): SignState {
    return this.written.at(-1) ?? UNSIGNED
  }

  async write(state: SignState): Promise<void> {
    this.written.push(state)
  }

  async complete(): Promise<void> {}

  async follow(): Promise<void> {}
}

function makeLog() {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  return { lines, logger: createLogger({ level: 'debug', format: 'plain', write }) }
}

function hashOf(byte: number): Uint8Array {
  return new Uint8Array(32).fill(byte)
}

function voteAt(height: number, byte = 1, timestamp = 5n): Vote {
  const blockId = { hash: hashOf(byte), parts: { total: 1, hash: hashOf(byte) } }
  return { type: VOTE_TYPE.PRECOMMIT, height, round: 0, blockId, timestamp }
}

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

async function listen(address: SignerAddress, log = makeLog(), publicKey = key.publicKey) {
  const { logger } = log
  const remote = await RemoteSigner.listen({ address, chainId: CHAIN, publicKey, logger })
  closers.push(() => remote.close())
  return remote
}

interface ServeOptions {
  readonly signingKey?: typeof key
  readonly chainId?: string
}

function serve(
  address: SignerAddress,
  record: SignMemory,
  log = makeLog(),
  { signingKey = key, chainId = CHAIN }: ServeOptions = {},
) {
  const ending = new AbortController()
  const { logger } = log
  const { signal } = ending
  const served = serveNode({ key: signingKey, record, chainId, address, logger, signal })
  const end = async () => {
    ending.abort()
    await served
  }
  closers.push(end)
  return end
}

/** Forwards connections to a port, and cuts each one after a number of chunks that `cutAfter` returns. */
async function cuttingProxy(port: number, cutAfter: () => number): Promise<SignerAddress> {
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = createConnection(port, '127.0.0.1')
    let left = cutAfter()
    const cut = () => {
      near.destroy()
      far.destroy()
    }
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.on('error', cut)
      from.on('close', cut)
      from.on('data', (bytes) => {
        if (left-- > 0) to.write(bytes)
        else cut()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return { kind: 'tcp', host: '127.0.0.1', port: (server.address() as { port: number }).port }
}

const portOf = (remote: RemoteSigner) => (remote.address?.kind === 'tcp' ? remote.address.port : 0)

function expectSigned(
  vote: Vote,
  { signature, timestamp }: { signature: Uint8Array; timestamp: bigint },
) {
  const signBytes = voteSignBytes(CHAIN, { ...vote, timestamp })
  expect(verifySignature(key.publicKey, signBytes, signature)).toBe(true)
}

describe('a remote signer', () => {
  const socket: SignerAddress = { kind: 'unix', path: join(tmpdir(), 'signer.sock') }
  test.each([LOOPBACK, socket])('signs over $kind, each vote once', async (address) => {
    const remote = await listen(address)
    const record = new TestRecord()
    serve(remote.address as SignerAddress, record)
    const first = await remote.sign(CHAIN, voteAt(1))
    expectSigned(voteAt(1), first)
    expect(await remote.sign(CHAIN, voteAt(1, 1, 9n))).toEqual({ ...first, timestamp: 5n })
    expectSigned(voteAt(2), await remote.sign(CHAIN, voteAt(2)))
    expect(record.written.map(({ height, step }) => [height, step])).toEqual([
      [1, STEP.PRECOMMIT],
      [2, STEP.PRECOMMIT],
    ])
  })

  test('that refuses a conflicting vote stops the node, and both sides log the reason', async () => {
    const [node, signer] = [makeLog(), makeLog()]
    const remote = await listen(LOOPBACK, node)
    serve(remote.address as SignerAddress, new TestRecord(), signer)
    await remote.sign(CHAIN, voteAt(3))
    await expect(remote.sign(CHAIN, voteAt(3, 2))).rejects.toMatchObject({
      code: 'REMOTE_SIGNER',
      message:
        'remote signer: it refused to sign height 3 round 0: Duplicate signature refused: conflicting data at height 3 round 0',
    })
    expect(node.lines.join('')).toMatch(/the remote signer refused to sign.*height=3/)
    expect(signer.lines.join('')).toMatch(/refused to sign.*height=3.*conflicting data/)
  })

  test(`signs each height once while its link is cut at every message, seed ${seed}`, async () => {
    const random = makeRandom(seed)
    const remote = await listen(LOOPBACK)
    // The handshake takes two chunks in each direction, and each request one.
    const proxy = await cuttingProxy(portOf(remote), () => Math.floor(random() * 16))
    const record = new TestRecord()
    serve(proxy, record)
    for (let height = 1; height <= 12; height++) {
      const vote = voteAt(height, 1, BigInt(height))
      expectSigned(vote, await remote.sign(CHAIN, vote))
    }
    expect(record.written.map(({ height }) => height)).toEqual(
      Array.from({ length: 12 }, (_, i) => i + 1),
    )
  })

  test('is waited for, and a request is sent to the next one if it has ended', async () => {
    const remote = await listen(LOOPBACK)
    const record = new TestRecord()
    const waiting = remote.sign(CHAIN, voteAt(1))
    const end = serve(remote.address as SignerAddress, record)
    await waiting
    await end()
    const next = remote.sign(CHAIN, voteAt(2))
    serve(remote.address as SignerAddress, record)
    expectSigned(voteAt(2), await next)
  })

  test('with another key, or of another chain, is refused with the reason', async () => {
    const node = makeLog()
    const remote = await listen(LOOPBACK, node)
    const address = remote.address as SignerAddress
    const signer = makeLog()
    const end = serve(address, new TestRecord(), signer, { signingKey: generateKey() })
    await until(() => node.lines.some((line) => /it has the key [0-9A-F]{40}, but/.test(line)))
    await end()
    serve(address, new TestRecord(), signer, { chainId: 'other-1' })
    const reason = 'the node is of chain test-1, this signer signs for other-1'
    await until(() => node.lines.some((line) => line.includes(reason)))
    expect(signer.lines.some((line) => line.includes(reason))).toBe(true)
  })

  test('is refused while another one answers, and replaces one that does not', async () => {
    const node = makeLog()
    const remote = await listen(LOOPBACK, node)
    const record = new TestRecord()
    const end = serve(remote.address as SignerAddress, record)
    await remote.sign(CHAIN, voteAt(1))
    serve(remote.address as SignerAddress, record)
    await until(() => node.lines.some((line) => line.includes('another signer is connected')))
    await end()
    expectSigned(voteAt(2), await remote.sign(CHAIN, voteAt(2)))
  })

  test('that is missing does not keep a node from stopping', async () => {
    const remote = await listen(LOOPBACK)
    const waiting = remote.sign(CHAIN, voteAt(1))
    remote.interrupt()
    await expect(waiting).rejects.toMatchObject({ code: 'INTERRUPTED' })
  })

  test('cannot be listened for at a file that is not a socket', async () => {
    const path = fileURLToPath(new URL('.', import.meta.url))
    await expect(listen({ kind: 'unix', path })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: `priv-validator-laddr names ${path}, which exists and is not a socket`,
    })
  })

  test('does not end when strangers send rubbish', async () => {
    const node = makeLog()
    const remote = await listen(LOOPBACK, node)
    for (const bytes of [Buffer.alloc(5000, 0xff), Buffer.from('220a20', 'hex'), Buffer.alloc(0)]) {
      const stranger = createConnection(portOf(remote), '127.0.0.1')
      stranger.on('error', () => undefined)
      stranger.resume()
      stranger.end(bytes)
      await once(stranger, 'close')
    }
    await until(() => node.lines.filter((line) => line.includes('refused a remote')).length === 3)
    serve(remote.address as SignerAddress, new TestRecord())
    expectSigned(voteAt(1), await remote.sign(CHAIN, voteAt(1)))
  })

  test('signs on during a flood of strangers, which fills neither the log nor the connections', async () => {
    const node = makeLog()
    const remote = await listen(LOOPBACK, node)
    serve(remote.address as SignerAddress, new TestRecord())
    expectSigned(voteAt(1), await remote.sign(CHAIN, voteAt(1)))
    const began = performance.now()
    for (let height = 2; height < 12; height++) {
      const strangers = Array.from({ length: 40 }, async (_, i) => {
        const stranger = createConnection(portOf(remote), '127.0.0.1')
        stranger.on('error', () => undefined)
        stranger.resume()
        stranger.end(Buffer.alloc(i * 100, i))
        await once(stranger, 'close')
      })
      expectSigned(voteAt(height), await remote.sign(CHAIN, voteAt(height)))
      await Promise.all(strangers)
    }
    const seconds = Math.ceil((performance.now() - began) / 1000)
    const refused = node.lines.filter((line) => line.includes('refused a remote signer'))
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThanOrEqual(10 * (seconds + 1))
  })
})

describe('the answers of a signer', () => {
  const signer = (record = new TestRecord()) => ({
    key,
    record,
    chainId: CHAIN,
    logger: makeLog().logger,
  })

  test('sign an extension with each precommit of a block, and with no other vote', async () => {
    const extension = Uint8Array.of(1, 2, 3)
    const of = signer()
    const ask = (vote: Vote, extended: Uint8Array) =>
      answerNode(of, {
        kind: 'signVoteRequest',
        chainId: CHAIN,
        vote: { ...NO_VOTE, ...vote, extension: extended },
      })
    const prevote = { ...voteAt(1), type: VOTE_TYPE.PREVOTE }
    const first = await ask(prevote, new Uint8Array())
    expect(first).toMatchObject({ vote: { extensionSignature: new Uint8Array() } })
    expect(await ask({ ...prevote, height: 2 }, extension)).toMatchObject({
      refusal: { description: 'only a precommit of a block may have an extension' },
    })
    const second = await ask(voteAt(2), extension)
    if (second.kind !== 'signedVoteResponse') throw new Error(second.kind)
    const signed = extensionSignBytes(CHAIN, voteAt(2), extension)
    expect(verifySignature(key.publicKey, signed, second.vote.extensionSignature)).toBe(true)
  })

  test.each([
    [{ type: 3 }, '3 is not the type of a vote'],
    [{ height: 0 }, 'height 0 is not above 0'],
    [{ round: -1 }, 'round -1 is negative'],
  ])('refuse a vote with %o', async (part, description) => {
    const vote = { ...NO_VOTE, ...voteAt(1), ...part }
    const answer = await answerNode(signer(), { kind: 'signVoteRequest', chainId: CHAIN, vote })
    expect(answer).toMatchObject({ refusal: { code: 0, description } })
  })

  test(`never contain two signatures for one height, round and step, seed ${seed}`, async () => {
    const random = makeRandom(seed)
    const below = (bound: number) => Math.floor(random() * bound)
    const of = signer()
    const seen = new Map<string, Uint8Array>()
    let signed = 0
    for (let i = 0; i < 1500; i++) {
      const base = { ...voteAt(1 + below(8) + Math.floor(i / 100), below(3)), round: below(3) }
      const timestamp = BigInt(below(5))
      const answer =
        below(3) === 0
          ? await answerNode(of, {
              kind: 'signProposalRequest',
              chainId: CHAIN,
              proposal: { ...NO_PROPOSAL, ...base, type: 32, polRound: -1, timestamp },
            })
          : await answerNode(of, {
              kind: 'signVoteRequest',
              chainId: CHAIN,
              vote: { ...NO_VOTE, ...base, type: 1 + below(2), timestamp },
            })
      if ('refusal' in answer) continue
      const made =
        'vote' in answer ? answer.vote : 'proposal' in answer ? answer.proposal : undefined
      if (made === undefined) throw new Error(answer.kind)
      const position = `${made.height} ${made.round} ${made.type}`
      const earlier = seen.get(position)
      if (earlier !== undefined && !equalBytes(earlier, made.signature)) {
        expect(position).toBe('signed twice')
      }
      seen.set(position, made.signature)
      signed++
    }
    expect(signed).toBeGreaterThan(seen.size)
    expect(of.record.written.length).toBe(seen.size)
  })
})
