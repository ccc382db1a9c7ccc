import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EMPTY_BYTES } from '../../../../../host/base/bytes.ts'
import { LockstepError } from '../../../../../host/base/error.ts'
import type { AbciApplication } from '../../../../../host/chain/consensus/abci/abci-application.ts'
import { type AbciServer, serveAbci } from '../../../../../host/chain/consensus/abci/abci-server.ts'
import { NO_SNAPSHOTS } from '../../../../support/abci/abci-chain.ts'
import {
  AbciPeer,
  ANSWER,
  checkTx,
  commit,
  echo,
  flush,
  frame,
  info,
  query,
  textOf,
} from '../../../../support/abci/abci-peer.ts'
import { until } from '../../../../support/until.ts'

const OK = { code: 0, codespace: '', log: '', gasWanted: 0n }

/** An application whose calls wait until the test releases them. */
class HeldApplication implements AbciApplication {
  readonly snapshots = NO_SNAPSHOTS
  readonly log: string[] = []
  readonly #held = new Map<string, () => void>()
  readonly isHeld: (call: string) => boolean
  checks = 0

  constructor(isHeld: (call: string) => boolean = () => false) {
    this.isHeld = isHeld
  }

  release(call: string): void {
    const go = this.#held.get(call)
    if (go === undefined) throw new Error(`${call} is not in work: ${this.log}`)
    this.#held.delete(call)
    go()
  }

  async #enter(call: string): Promise<void> {
    this.log.push(call)
    if (this.isHeld(call)) {
      await new Promise<void>((resolve) => {
        this.#held.set(call, resolve)
      })
    }
    this.log.push(`${call} done`)
  }

  async info() {
    await this.#enter('info')
    return {
      data: 'held',
      version: '1',
      appVersion: 0,
      lastBlockHeight: 0,
      lastBlockAppHash: EMPTY_BYTES,
    }
  }

  async query({ path }: { readonly path: string }) {
    await this.#enter(path)
    const none = { key: EMPTY_BYTES, value: EMPTY_BYTES, proofOps: [], height: 0 }
    return { code: 0, codespace: '', log: path, ...none }
  }

  async checkTx({ transaction }: { readonly transaction: Uint8Array }) {
    this.checks++
    const name = `check ${Buffer.from(transaction)}`
    if (this.isHeld(name)) await this.#enter(name)
    return { ...OK, log: String(Buffer.from(transaction)) }
  }

  async initChain() {
    return { appHash: EMPTY_BYTES, validators: [] }
  }

  async prepareProposal() {
    return []
  }

  async processProposal() {
    return true
  }

  async finalizeBlock(): Promise<never> {
    throw new LockstepError('CONSENSUS_FAILURE', 'block 7 cannot follow height 5')
  }

  async commit() {
    await this.#enter('commit')
    return { retainHeight: 3 }
  }
}

const text = (value: string) => new TextEncoder().encode(value)

describe('the ABCI server', () => {
  let dir: string
  let path: string
  let server: AbciServer
  const failures: string[] = []
  const peers: AbciPeer[] = []

  async function serve(application: AbciApplication): Promise<void> {
    server = await serveAbci({
      path,
      application,
      onFailure: ({ code, message }, method) => failures.push(`${method}: ${code}: ${message}`),
    })
  }

  async function connect(): Promise<AbciPeer> {
    const peer = await AbciPeer.connect(path)
    peers.push(peer)
    return peer
  }

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'abci-'))
    path = join(dir, 'app.sock')
    failures.length = 0
  })

  afterEach(async () => {
    for (const peer of peers.splice(0)) peer.socket.destroy()
    await server.close()
    rmSync(dir, { recursive: true, force: true })
  })

  test('listens with mode 0600, even if a killed process left its socket file', async () => {
    const left = createServer().listen(path)
    await until(() => left.listening)
    await serve(new HeldApplication())
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const peer = await connect()
    peer.send(echo('one'))
    expect((await peer.receive(1)).map((answer) => textOf(answer))).toEqual(['one'])
    left.close()
  })

  test('answers calls in order, and Flush after all earlier calls', async () => {
    const application = new HeldApplication((call) => call === 'check b')
    await serve(application)
    const peer = await connect()
    peer.send(checkTx(text('a')), checkTx(text('b')), checkTx(text('c')), flush(), echo('d'))
    await peer.receive(1)
    await until(() => application.checks === 3)
    await turn()
    expect(peer.answers.map(({ field }) => field)).toEqual([ANSWER.checkTx])
    application.release('check b')
    const answers = await peer.receive(5)
    expect(
      answers.map((answer) => [answer.field, textOf(answer, answer.field === 9 ? 3 : 1)]),
    ).toEqual([
      [ANSWER.checkTx, 'a'],
      [ANSWER.checkTx, 'b'],
      [ANSWER.checkTx, 'c'],
      [ANSWER.flush, ''],
      [ANSWER.echo, 'd'],
    ])
  })

  test('delays a call that changes state and the calls after it until all earlier calls are done', async () => {
    const application = new HeldApplication(() => true)
    await serve(application)
    const peer = await connect()
    peer.send(query('first'), commit(), query('second'))
    await until(() => application.log.length === 1)
    await turn()
    expect(application.log).toEqual(['first'])
    application.release('first')
    await until(() => application.log.includes('commit'))
    await turn()
    expect(application.log).toEqual(['first', 'first done', 'commit'])
    application.release('commit')
    await until(() => application.log.includes('second'))
    application.release('second')
    expect((await peer.receive(3)).map(({ field }) => field)).toEqual([
      ANSWER.query,
      ANSWER.commit,
      ANSWER.query,
    ])
  })

  test('executes one state change at a time over all connections, and reads concurrently', async () => {
    const application = new HeldApplication((call) => call === 'commit')
    await serve(application)
    const [consensus, mempool, other] = [await connect(), await connect(), await connect()]
    consensus.send(commit())
    await until(() => application.log.length === 1)
    other.send(commit())
    mempool.send(info(), checkTx(text('a')), flush())
    await mempool.receive(3)
    expect(application.log).toEqual(['commit', 'info', 'info done'])
    application.release('commit')
    await consensus.receive(1)
    await until(() => application.log.filter((call) => call === 'commit').length === 2)
    application.release('commit')
    expect((await other.receive(1)).map(({ field }) => field)).toEqual([ANSWER.commit])
  })

  test('answers twenty thousand concurrent checks while it holds few of them at a time', async () => {
    let inWork = 0
    let most = 0
    const application = new HeldApplication()
    application.checkTx = async ({ transaction }) => {
      most = Math.max(most, ++inWork)
      await turn()
      inWork--
      return { ...OK, log: String(Buffer.from(transaction)) }
    }
    await serve(application)
    const peer = await connect()
    const count = 20_000
    peer.send(...Array.from({ length: count }, (_, i) => checkTx(text(String(i)))), flush())
    const answers = await peer.receive(count + 1)
    expect(answers).toHaveLength(count + 1)
    expect(answers.slice(0, count).map((answer) => textOf(answer, 3))).toEqual(
      Array.from({ length: count }, (_, i) => String(i)),
    )
    expect(answers[count]?.field).toBe(ANSWER.flush)
    // The server may read 64 KiB beyond its limit of calls.
    expect(most).toBeLessThan(4096 + 65_536 / 8)
  })

  test('stops reading while its answers are not read, and resumes when they are', async () => {
    const application = new HeldApplication()
    await serve(application)
    const peer = await connect()
    const large = 'x'.repeat(1 << 20)
    peer.socket.pause()
    // 100 MB of answers. The server may hold 32 MiB of them, and the operating system some.
    const count = 100
    peer.send(...Array.from({ length: count }, () => echo(large)))
    const written = once(peer)
    await until(() => peer.socket.bytesWritten > 0)
    let before = -1
    await until(async () => {
      const now = peer.socket.writableLength
      const stands = now === before
      before = now
      await turn()
      return stands
    })
    expect(peer.socket.writableLength).toBeGreaterThan(count * 2 ** 19)
    peer.socket.resume()
    await written
    expect(await peer.receive(count)).toHaveLength(count)
  })

  test('serves other peers while one stalls in the middle of a message', async () => {
    await serve(new HeldApplication())
    const [stalled, other] = [await connect(), await connect()]
    const message = echo('later')
    stalled.send(message.subarray(0, 4))
    other.send(echo('now'))
    expect(textOf((await other.receive(1))[0] as never)).toBe('now')
    expect(stalled.answers).toEqual([])
    stalled.send(message.subarray(4))
    expect(textOf((await stalled.receive(1))[0] as never)).toBe('later')
    expect(failures).toEqual([])
  })

  test('drops a peer that disconnects in the middle of a message', async () => {
    await serve(new HeldApplication())
    const peer = await connect()
    peer.send(echo('never').subarray(0, 3))
    peer.socket.end()
    await peer.ended()
    await until(() => server.connections === 0)
    expect(failures).toEqual([])
  })

  test.each([
    ['a length that is none', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff], 'has more than 5 bytes'],
    ['a message above 128 MiB', [0x81, 0x80, 0x80, 0x40], 'is above the limit of 134217728'],
    ['an unknown method', [0x03, 0xaa, 0x01, 0x00], 'a message has an unknown method'],
    ['a message that ends too early', [0x02, 0x42, 0x09], 'premature EOF'],
  ])(
    '%s: earlier calls are answered, the error is stated, and the connection is closed',
    async (_, bytes, why) => {
      await serve(new HeldApplication())
      const [peer, other] = [await connect(), await connect()]
      peer.send(echo('before'), new Uint8Array(bytes), echo('after'))
      const answers = await peer.ended()
      expect(answers.map(({ field }) => field)).toEqual([ANSWER.echo, ANSWER.exception])
      expect(textOf(answers[1] as never)).toContain(why)
      expect(failures).toHaveLength(1)
      expect(failures[0]).toMatch(/^request: PEER_INVALID: ABCI: /)
      other.send(echo('still'))
      expect((await other.receive(1)).map((answer) => textOf(answer))).toEqual(['still'])
    },
  )

  test('answers a failed call with Exception and drops the calls after it', async () => {
    const application = new HeldApplication()
    await serve(application)
    const peer = await connect()
    peer.send(info(), frame(20), commit(), flush())
    const answers = await peer.ended()
    expect(answers.map(({ field }) => field)).toEqual([ANSWER.info, ANSWER.exception])
    expect(textOf(answers[1] as never)).toBe('block 7 cannot follow height 5')
    expect(application.log).toEqual(['info', 'info done'])
    expect(failures).toEqual(['finalize_block: CONSENSUS_FAILURE: block 7 cannot follow height 5'])
  })

  test('returns no vote extension and accepts only votes without one', async () => {
    await serve(new HeldApplication())
    const peer = await connect()
    peer.send(
      frame(18),
      frame(19),
      frame(19, (writer) => writer.uint32(0x22).bytes(text('x'))),
    )
    const answers = await peer.receive(3)
    expect(answers.map(({ field, message }) => [field, [...message]])).toEqual([
      [ANSWER.extendVote, []],
      [ANSWER.verifyVoteExtension, [8, 1]],
      [ANSWER.verifyVoteExtension, [8, 2]],
    ])
  })

  test('refuses the seventeenth connection with a message and keeps the others', async () => {
    await serve(new HeldApplication())
    const open = await Promise.all(Array.from({ length: 16 }, connect))
    await until(() => server.connections === 16)
    const answers = await (await connect()).ended()
    expect(answers.map((answer) => [answer.field, textOf(answer)])).toEqual([
      [ANSWER.exception, 'ABCI: 16 connections are open, which is the limit'],
    ])
    for (const peer of open) peer.send(echo('here'))
    for (const peer of open) expect(await peer.receive(1)).toHaveLength(1)
  })

  test('forwards calls to another application after a switch', async () => {
    const [first, second] = [new HeldApplication((call) => call === 'info'), new HeldApplication()]
    await serve(first)
    const peer = await connect()
    peer.send(info())
    await until(() => first.log.length === 1)
    server.switchTo(second)
    peer.send(query('after'))
    await until(() => second.log.length === 2)
    first.release('info')
    await peer.receive(2)
    expect([first.log, second.log]).toEqual([
      ['info', 'info done'],
      ['after', 'after done'],
    ])
  })

  test('closes after the current call is answered', async () => {
    const application = new HeldApplication((call) => call === 'commit')
    await serve(application)
    const peer = await connect()
    peer.send(commit(), info())
    await until(() => application.log.length === 1)
    let isClosed = false
    const closed = server.close().then(() => {
      isClosed = true
    })
    await turn()
    expect(isClosed).toBe(false)
    application.release('commit')
    await closed
    expect((await peer.ended()).map(({ field }) => field)).toEqual([ANSWER.commit])
    expect(application.log).toEqual(['commit', 'commit done'])
    await expect(AbciPeer.connect(path)).rejects.toThrow(/ENOENT|ECONNREFUSED/)
  })
})

/** Resolves after everything that was written has been consumed. */
function once(peer: AbciPeer): Promise<void> {
  return new Promise((resolve) => {
    peer.socket.once('drain', () => resolve())
  })
}
