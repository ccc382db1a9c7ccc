import { afterEach, beforeAll, expect, test } from 'vitest'
import {
  LockstepError,
  type OpenBundle,
  openBundle,
  openStepper,
  replay,
  verify,
  writeReplay,
} from '../../../../host/entry/browser.ts'
import type { EngineModules } from '../../../../host/evm/engine/engine-modules.ts'
import type { OpenOptions } from '../../../../host/explorer/browser/open-bundle.ts'
import { compileEngine } from '../../../../host/node/wasm.ts'
import { LIBRARY_FILES } from '../../../support/trace/library-files.ts'
import { loopBundle } from '../../../support/trace/recorded-bundle.ts'
import { LibraryWorker } from './library-worker.ts'

let document: object
let modules: EngineModules
beforeAll(async () => {
  modules = await compileEngine()
  document = await loopBundle()
})

let worker: LibraryWorker
let bundle: OpenBundle | undefined
afterEach(async () => {
  bundle?.close()
  await worker?.ended
})

async function open(
  source = document,
  options: Pick<OpenOptions, 'compiledCode' | 'files' | 'modules'> = { modules },
): Promise<OpenBundle> {
  worker = new LibraryWorker()
  bundle = await openBundle(source, { ...options, worker: () => worker })
  return bundle
}

async function bytesOf(opened: OpenBundle): Promise<string> {
  const chunks: Uint8Array[] = []
  await writeReplay(opened, {}, (chunk) => void chunks.push(chunk))
  return Buffer.concat(chunks).toString()
}

test('a worker returns the same facts, traces, comparison and steps as the page', async () => {
  const page = await openBundle(document, { modules, thread: 'page' })
  const opened = await open(document, { files: LIBRARY_FILES })
  expect(opened.facts).toEqual(page.facts)
  expect(await bytesOf(opened)).toBe(await bytesOf(page))
  expect(await verify(opened)).toEqual(await verify(page))
  const [here, there] = await Promise.all([openStepper(page), openStepper(opened)])
  expect(await there.summary()).toEqual(await here.summary())
  expect(await there.step(7)).toEqual(await here.step(7))
  expect(await there.find([{ opcode: 'JUMP' }], 100, 'back')).toEqual({ index: 98, which: 0 })
  await expect(there.step(-1)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  await there.close()
  await expect(there.summary()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  page.close()
})

test('a worker that compiles hot code returns the same traces', async () => {
  const page = await openBundle(document, { modules, thread: 'page' })
  const opened = await open(document, { files: LIBRARY_FILES, compiledCode: true })
  for (let i = 0; i < 3; i++) {
    expect(await verify(opened)).toEqual(await verify(page))
    expect(await bytesOf(opened)).toBe(await bytesOf(page))
  }
  page.close()
})

test('a file of the compiler that cannot be loaded is an error that names it', async () => {
  worker = new LibraryWorker()
  const files = { ...LIBRARY_FILES, compiler: 'data:application/wasm;base64,AAAA' }
  const opening = openBundle(document, { files, compiledCode: true, worker: () => worker })
  await expect(opening).rejects.toMatchObject({
    code: 'ENGINE_FAULT',
    message: expect.stringContaining('data:application/wasm'),
  })
  await worker.ended
})

test('concurrent questions each get their own answer', async () => {
  const opened = await open()
  const [calls, bad, checked, logs] = await Promise.allSettled([
    replay(opened, { tracer: 'callTracer' }),
    replay(opened, { tracer: 'noTracer' }),
    verify(opened),
    replay(opened, { tracer: '4byteTracer' }),
  ])
  expect(calls).toMatchObject({ status: 'fulfilled', value: { type: 'CALL' } })
  expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'UNSUPPORTED' } })
  expect(checked).toMatchObject({ status: 'fulfilled', value: { digests: [expect.anything()] } })
  expect(logs).toMatchObject({ status: 'fulfilled', value: {} })
})

test('an error crosses the worker boundary with its code, message, data and remedy', async () => {
  worker = new LibraryWorker()
  const opening = openBundle('{}', { modules, worker: () => worker })
  const error = await opening.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(LockstepError)
  expect(error).toMatchObject({
    code: 'BUNDLE_INVALID',
    message: expect.stringContaining('bundle'),
    hint: expect.stringContaining('record'),
  })
  await worker.ended
})

test('an aborted signal ends a run in progress, and the next run starts', async () => {
  const opened = await open(await loopBundle(16_000_000n))
  const controller = new AbortController()
  let chunks = 0
  const run = writeReplay(opened, { signal: controller.signal }, () => {
    chunks++
    controller.abort()
  })
  await expect(run).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' })
  expect(chunks).toBe(1)
  expect(await replay(opened, { tracer: 'callTracer' })).toMatchObject({ error: 'out of gas' })
  expect(chunks).toBe(1)
})

test('a search reports its progress and ends when its signal aborts', async () => {
  const stepper = await openStepper(await open(await loopBundle(8_000_000n)))
  const reached: number[] = []
  const never = [{ opcode: 'SSTORE' }]
  const onProgress = (step: number) => void reached.push(step)
  expect(await stepper.find(never, 0, 'forward', { onProgress })).toBeUndefined()
  expect(reached.length).toBeGreaterThan(0)
  expect(reached).toEqual(reached.toSorted((a, b) => a - b))
  const controller = new AbortController()
  const { signal } = controller
  const search = stepper.find(never, 0, 'forward', { signal, onProgress: () => controller.abort() })
  await expect(search).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' })
  expect(await stepper.step(3)).toMatchObject({ index: 3 })
})

test('a run waits for a slow reader and ends with the error that the reader throws', async () => {
  const opened = await open(await loopBundle(900_000n))
  let pending = 0
  let most = 0
  let chunks = 0
  await writeReplay(opened, {}, async () => {
    chunks++
    most = Math.max(most, ++pending)
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    pending--
  })
  expect(pending).toBe(0)
  expect(chunks).toBeGreaterThan(20)
  // Without backpressure the reader has nearly all of them at once.
  expect(most).toBeLessThan(chunks / 2)
  const failure = new Error('no room')
  await expect(writeReplay(opened, {}, () => Promise.reject(failure))).rejects.toBe(failure)
  expect(await replay(opened, { tracer: 'callTracer' })).toMatchObject({ type: 'CALL' })
})

test('a worker that crashes rejects all pending and later requests', async () => {
  const opened = await open(await loopBundle(16_000_000n))
  const waiting = [replay(opened), verify(opened)]
  worker.crash()
  for (const one of await Promise.allSettled(waiting)) {
    expect(one).toMatchObject({
      status: 'rejected',
      reason: { code: 'ENGINE_FAULT', message: expect.stringContaining('out of luck') },
    })
  }
  await expect(verify(opened)).rejects.toMatchObject({ code: 'ENGINE_FAULT' })
})

test('closing a bundle ends its worker and the runs in it', async () => {
  const opened = await open(await loopBundle(16_000_000n))
  const running = replay(opened)
  opened.close()
  await expect(running).rejects.toMatchObject({ message: 'the bundle was closed' })
  await expect(verify(opened)).rejects.toMatchObject({ message: 'the bundle was closed' })
  await worker.ended
})

test('a worker whose files do not load names the file', async () => {
  worker = new LibraryWorker()
  const files = { ...LIBRARY_FILES, engine: 'data:text/plain,nothing' }
  await expect(openBundle(document, { files, worker: () => worker })).rejects.toMatchObject({
    code: 'ENGINE_FAULT',
    message: expect.stringContaining('cannot load data:text/plain,nothing'),
  })
  await worker.ended
})
