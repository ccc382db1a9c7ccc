import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RecoveryThread } from '../../../../../host/chain/consensus/mempool/recovery-thread.ts'
import { noPhases } from '../../../../../host/chain/consensus/phases.ts'
import { type Engine, loadEngine } from '../../../../../host/evm/engine/engine.ts'
import { readModule } from '../../../../../host/node/wasm.ts'
import { devAccount } from '../../../../support/node/dev-wallet.ts'
import { makeRandom } from '../../../../support/random.ts'

const SEED = 20261121

type Request = readonly [digest: Uint8Array, yParity: 0 | 1, r: Uint8Array, s: Uint8Array]

function randomBytes(random: () => number): Uint8Array {
  return Uint8Array.from({ length: 32 }, () => Math.floor(random() * 256))
}

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex.slice(2), 'hex'))
}

describe('the recovery thread', () => {
  const phases = noPhases()
  const errors: unknown[] = []
  let engine: Engine
  let thread: RecoveryThread

  beforeAll(async () => {
    engine = await loadEngine(await readModule('engine'))
    const module = await WebAssembly.compile(await readModule('recovery'))
    thread = new RecoveryThread(module, phases, (error) => errors.push(error))
  })

  afterAll(() => thread.close())

  test('returns the results of the engine in order, for valid and invalid signatures', async () => {
    const random = makeRandom(SEED)
    const requests: Request[] = Array.from({ length: 300 }, (_, i) => [
      randomBytes(random),
      i % 2 === 0 ? 0 : 1,
      i % 7 === 0 ? new Uint8Array(32) : randomBytes(random),
      randomBytes(random),
    ])
    const answers = await Promise.all(requests.map((request) => thread.recoverAddress(...request)))
    expect(answers).toEqual(requests.map((request) => engine.recoverAddress(...request)))
    expect(answers.filter((answer) => answer === undefined).length).toBeGreaterThan(40)
    expect(phases.recoverNs).toBeGreaterThan(0)
  })

  test('finds the address that viem signed with', async () => {
    const account = devAccount(3)
    const digest = `0x${'5a'.repeat(32)}` as const
    const signature = await account.sign({ hash: digest })
    const yParity = signature.endsWith('1b') ? 0 : 1
    const r = bytes(signature.slice(0, 66))
    const s = bytes(`0x${signature.slice(66, 130)}`)
    const address = await thread.recoverAddress(bytes(digest), yParity, r, s)
    expect(address).toEqual(bytes(account.address))
  })

  test('that cannot start fails its requests and reports the failure once', async () => {
    const module = await WebAssembly.compile(await readModule('recovery'))
    const told: unknown[] = []
    const script = new URL('http://127.0.0.1/recovery-worker.js')
    const broken = new RecoveryThread(module, noPhases(), (error) => told.push(error), script)
    const word = new Uint8Array(32)
    const asked = [0, 1].map(() => broken.recoverAddress(word, 0, word, word))
    for (const each of asked) {
      await expect(each).rejects.toMatchObject({
        code: 'ENGINE_FAULT',
        message: expect.stringMatching(/^the recovery thread died: /),
      })
    }
    expect(told).toHaveLength(1)
    await broken.close()
  })

  test('refuses requests after it is closed', async () => {
    const closing = new RecoveryThread(
      await WebAssembly.compile(await readModule('recovery')),
      noPhases(),
      (error) => errors.push(error),
    )
    const zero = new Uint8Array(32)
    const pending = closing.recoverAddress(zero, 0, zero, zero)
    await Promise.all([
      expect(pending).rejects.toMatchObject({ code: 'SERVER_BUSY' }),
      closing.close(),
    ])
    await expect(closing.recoverAddress(zero, 0, zero, zero)).rejects.toMatchObject({
      code: 'SERVER_BUSY',
    })
    expect(errors).toEqual([])
  })

  test.each([
    [
      'ends without a word',
      `parentPort.on('message', () => process.exit(3))`,
      'it ended with code 3',
    ],
    ['throws', `parentPort.on('message', () => { throw new Error('gone') })`, 'gone'],
    [
      'answers what nobody asked',
      `parentPort.on('message', ({ number }) =>
        parentPort.postMessage({ number: number + 1, result: {} }))`,
      'it answered request 1, which was not made',
    ],
    [
      'answers in another number',
      `parentPort.on('message', ({ number }) =>
        parentPort.postMessage({ number, result: { addresses: new Uint8Array(42), busyNs: 0 } }))`,
      'it answered 1 requests with 42 bytes',
    ],
  ])('that %s fails all pending requests and reports the failure once', async (_, body, how) => {
    const source = `import { parentPort } from 'node:worker_threads'\n${body}`
    const script = new URL(`data:text/javascript,${encodeURIComponent(source)}`)
    const told: unknown[] = []
    const module = await WebAssembly.compile(await readModule('recovery'))
    const dying = new RecoveryThread(module, noPhases(), (error) => told.push(error), script)
    const zero = new Uint8Array(32)
    const died = { code: 'ENGINE_FAULT', message: `the recovery thread died: ${how}` }
    await expect(dying.recoverAddress(zero, 0, zero, zero)).rejects.toMatchObject(died)
    await expect(dying.recoverAddress(zero, 0, zero, zero)).rejects.toMatchObject(died)
    await dying.close()
    expect(told).toEqual([expect.objectContaining(died)])
  })

  test('matches results to requests if messages arrive late and out of order', async () => {
    // Answers the first message after the second, and all others at once. Each address contains its digest's first
    // byte.
    const source = `import { parentPort } from 'node:worker_threads'
      let kept
      const answer = ({ number, work: requests }) => {
        const addresses = new Uint8Array(21 * requests.length / 97)
        for (let i = 0; i * 97 < requests.length; i++) addresses.set([1, requests[i * 97]], i * 21)
        parentPort.postMessage({ number, result: { addresses, busyNs: 0 } })
      }
      parentPort.on('message', (message) => {
        if (message.number === 0) { kept = message; return }
        answer(message)
        if (message.number === 1) answer(kept)
      })`
    const script = new URL(`data:text/javascript,${encodeURIComponent(source)}`)
    const module = await WebAssembly.compile(await readModule('recovery'))
    const late = new RecoveryThread(module, noPhases(), (error) => errors.push(error), script)
    const zero = new Uint8Array(32)
    const asked: Promise<Uint8Array | undefined>[] = []
    for (let digest = 0; digest < 20; digest++) {
      asked.push(late.recoverAddress(new Uint8Array(32).fill(digest), 0, zero, zero))
      // One message per event loop turn.
      await new Promise((resolve) => setImmediate(resolve))
    }
    const first = (await Promise.all(asked)).map((address) => address?.[0])
    expect(first).toEqual(Array.from({ length: 20 }, (_, digest) => digest))
    await late.close()
  })

  test('sends a burst in messages of at most 512 requests, with at most two unanswered', async () => {
    // Each address contains the number of waiting messages, the requests of its message (two bytes) and the digest's
    // first byte.
    const source = `import { parentPort } from 'node:worker_threads'
      let open = 0
      parentPort.on('message', ({ number, work: requests }) => {
        open++
        const count = requests.length / 97
        const addresses = new Uint8Array(21 * count)
        for (let i = 0; i < count; i++) {
          addresses.set([1, open, count >> 8, count & 255, requests[i * 97]], i * 21)
        }
        setImmediate(() => {
          open--
          parentPort.postMessage({ number, result: { addresses, busyNs: 0 } })
        })
      })`
    const script = new URL(`data:text/javascript,${encodeURIComponent(source)}`)
    const module = await WebAssembly.compile(await readModule('recovery'))
    const asked = new RecoveryThread(module, noPhases(), (error) => errors.push(error), script)
    const zero = new Uint8Array(32)
    const answers = await Promise.all(
      Array.from({ length: 1200 }, (_, i) =>
        asked.recoverAddress(new Uint8Array(32).fill(i % 256), 0, zero, zero),
      ),
    )
    expect(answers.map((answer) => answer?.[3])).toEqual(answers.map((_, i) => i % 256))
    const sizes = answers.map((answer) => (answer?.[1] ?? 0) * 256 + (answer?.[2] ?? 0))
    expect(sizes).toEqual(answers.map((_, i) => (i < 1024 ? 512 : 176)))
    expect(Math.max(...answers.map((answer) => answer?.[0] ?? 0))).toBeLessThanOrEqual(2)
    await asked.close()
  })
})
