import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type OpenBundle,
  openBundle,
  replay,
  verify,
  writeReplay,
} from '../../../../host/entry/browser.ts'
import { openReplayer } from '../../../../host/entry/replay.ts'
import type { EngineModules } from '../../../../host/evm/engine/engine-modules.ts'
import { compileEngine } from '../../../../host/node/wasm.ts'
import { LIBRARY_FILES } from '../../../support/trace/library-files.ts'
import { BUNDLE_ENGINE, loopBundle } from '../../../support/trace/recorded-bundle.ts'

let document: object
let bundle: OpenBundle
let modules: EngineModules
beforeAll(async () => {
  modules = await compileEngine()
  document = await loopBundle()
  bundle = await openBundle(document, { files: LIBRARY_FILES, thread: 'page' })
})
afterAll(() => bundle.close())

async function text(options: Parameters<typeof writeReplay>[1]): Promise<string> {
  const chunks: Uint8Array[] = []
  await writeReplay(bundle, options, (chunk) => void chunks.push(chunk.slice()))
  return Buffer.concat(chunks).toString()
}

test('a bundle describes its content before anything runs', () => {
  expect(bundle.facts).toMatchObject({
    engineHash: BUNDLE_ENGINE,
    scope: 'transaction',
    hasSteps: false,
    block: { number: 1000, chainId: 1n },
  })
  expect(bundle.transactions).toEqual([
    expect.objectContaining({ from: `0x${'aa'.repeat(20)}`, gas: 300_000n, gasUsed: 300_000n }),
  ])
})

const SCRIPT = '{ n: 0, step() { this.n++ }, fault() {}, result() { return this.n } }'

test.each([
  ['opcodeTracer', {}],
  ['callTracer', { withLog: true }],
  ['prestateTracer', { diffMode: true }],
  ['flatCallTracer', {}],
  ['4byteTracer', {}],
  ['muxTracer', { callTracer: {}, prestateTracer: {} }],
  ['a script', {}],
])('%s in the browser gives the same text as lockstep/replay', async (name, tracerConfig) => {
  const tracer = name === 'a script' ? SCRIPT : name
  const recording = await (await openReplayer()).read(document)
  const chunks: Uint8Array[] = []
  await recording.writeTrace({ tracer, tracerConfig }, (chunk) => void chunks.push(chunk.slice()))
  const found = await text({ tracer, tracerConfig })
  expect(found).toBe(Buffer.concat(chunks).toString())
  expect(await replay(bundle, { tracer, tracerConfig })).toEqual(JSON.parse(found))
})

test('a run is compared with its recording', async () => {
  const { difference, digests } = await verify(bundle)
  expect(difference).toBeUndefined()
  expect(digests).toHaveLength(1)
})

test.each([
  ['text', (json: string) => json],
  ['bytes', (json: string) => new TextEncoder().encode(json)],
  ['an ArrayBuffer', (json: string) => new TextEncoder().encode(json).buffer],
  ['a file', (json: string) => new File([json], 'bundle.json')],
  ['an answer', (json: string) => new Response(json)],
])('a bundle opens from %s', async (_, sourceOf) => {
  const opened = await openBundle(sourceOf(JSON.stringify(document)), {
    modules,
    thread: 'page',
  })
  expect(opened.facts).toEqual(bundle.facts)
  opened.close()
})

test.each([
  ['no JSON', '{', 'BUNDLE_INVALID', /want JSON text/],
  ['another document', '{"a": 1}', 'BUNDLE_INVALID', /bundle: want an object, got nothing/],
  ['null', 'null', 'BUNDLE_INVALID', /want an object, got null/],
  [
    'an answer that says no',
    new Response('no', { status: 404, statusText: 'Not Found' }),
    'BUNDLE_INVALID',
    /HTTP 404 Not Found/,
  ],
])('%s is refused as a bundle', async (_, source, code, message) => {
  await expect(openBundle(source, { modules, thread: 'page' })).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  })
})

test('a missing file of the library is named in the error', async () => {
  const files = { ...LIBRARY_FILES, engine: 'data:text/plain,nothing' }
  await expect(openBundle(document, { files, thread: 'page' })).rejects.toMatchObject({
    code: 'ENGINE_FAULT',
    message: expect.stringContaining('cannot load data:text/plain,nothing'),
  })
})

test('an aborted signal ends a run', async () => {
  const signal = AbortSignal.abort()
  await expect(verify(bundle, { signal })).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' })
  await expect(replay(bundle, { signal })).rejects.toMatchObject({ code: 'REQUEST_TIMEOUT' })
})

test('an unknown tracer is refused', async () => {
  await expect(replay(bundle, { tracer: 'noTracer' })).rejects.toMatchObject({
    code: 'UNSUPPORTED',
  })
})

test('an index that no transaction has is refused', async () => {
  await expect(replay(bundle, { transaction: 1 })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: 'transaction: want 0 to 0, got 1',
  })
})
