import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { openReplayer, type Recording, type Replayer } from '../../../host/entry/replay.ts'
import { BUNDLE_ENGINE, loopBundle } from '../../support/trace/recorded-bundle.ts'

let json: unknown
let replayer: Replayer
let recording: Recording
beforeAll(async () => {
  json = await loopBundle()
  replayer = await openReplayer()
  recording = await replayer.read(json)
})

test('a recording describes its content', () => {
  expect(recording).toMatchObject({
    engineHash: BUNDLE_ENGINE,
    scope: 'transaction',
    height: 1000,
    hasSteps: false,
  })
  expect(recording.transactions).toEqual([expect.stringMatching(/^0x[0-9a-f]{64}$/)])
  expect(replayer.engineHash).toMatch(/^[0-9a-f]{64}$/)
})

test('concurrent runs give the same result', async () => {
  const [first, second, calls] = await Promise.all([
    recording.replay(),
    recording.replay(),
    recording.trace({ tracer: 'callTracer' }),
  ])
  expect(first).toEqual(second)
  expect(first.difference).toBeUndefined()
  expect(first.digests).toHaveLength(1)
  expect(calls).toMatchObject({ type: 'CALL', error: 'out of gas' })
})

test('concurrent runs take turns with one engine', async () => {
  const opened = await (await openReplayer()).read(json)
  const instances = vi.spyOn(WebAssembly, 'instantiate')
  onTestFinished(() => instances.mockRestore())
  await Promise.all([opened.replay(), opened.replay(), opened.replay()])
  expect(instances).not.toHaveBeenCalled()
})

test('an invalid bundle is refused with the name of the faulty member', async () => {
  await expect(replayer.read({})).rejects.toMatchObject({
    code: 'BUNDLE_INVALID',
    message: expect.stringContaining('bundle'),
  })
})

test('an aborted signal ends a run', async () => {
  const signal = AbortSignal.abort()
  await expect(recording.replay({ signal })).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' })
  await expect(recording.trace({ signal })).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' })
})

test('an unknown tracer is refused', async () => {
  await expect(recording.trace({ tracer: 'noTracer' })).rejects.toMatchObject({
    code: 'UNSUPPORTED',
  })
})

test('a trace waits for its reader and is complete', async () => {
  let pending = 0
  let mostPending = 0
  let chunks = 0
  const decoder = new TextDecoder()
  let text = ''
  await recording.writeTrace({}, async (chunk) => {
    pending++
    chunks++
    mostPending = Math.max(mostPending, pending)
    text += decoder.decode(chunk, { stream: true })
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    pending--
  })
  expect(pending).toBe(0)
  expect(JSON.parse(text)).toEqual(await recording.trace())
  expect(chunks).toBeGreaterThan(10)
  // Without backpressure the reader has nearly all of them at once.
  expect(mostPending).toBeLessThan(chunks / 2)
})

test('an error of the reader ends the trace, and the next one runs', async () => {
  const failure = new Error('the disk is full')
  const failing = () => Promise.reject(failure)
  await expect(recording.writeTrace({}, failing)).rejects.toBe(failure)
  const throwing = () => {
    throw failure
  }
  await expect(recording.writeTrace({}, throwing)).rejects.toBe(failure)
  expect(await recording.trace({ tracer: 'callTracer' })).toMatchObject({ type: 'CALL' })
})
