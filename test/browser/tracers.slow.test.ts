import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openReplayer, type Recording } from '../../host/entry/replay.ts'
import { readModule } from '../../host/node/wasm.ts'
import { CommitHasher } from '../../host/storage/commit/hash/commit-hasher.ts'
import { withTab } from '../support/browser/browser.ts'
import { inBrowsers } from '../support/browser/in-browsers.ts'
import { type ProgramSite, serveProgram } from '../support/browser/program.ts'
import { engineInBlock } from '../support/engine/engine-fixture.ts'
import { goldenFiles } from '../support/trace/golden-files.ts'
import { goldenBundle } from '../support/trace/vector-bundle.ts'
import { NO_VECTORS, VECTORS } from '../support/vectors.ts'
import type { LibraryProgram } from './programs/library.ts'

interface Question {
  readonly tracer: string
  readonly tracerConfig: Readonly<Record<string, unknown>>
}

/** Tracers run on every case, in addition to the tracer of its golden file. */
const EVERYWHERE: readonly Question[] = [
  { tracer: 'opcodeTracer', tracerConfig: { enableReturnData: true } },
  { tracer: '4byteTracer', tracerConfig: {} },
  { tracer: 'keccak256PreimageTracer', tracerConfig: {} },
  {
    tracer: 'muxTracer',
    tracerConfig: { callTracer: { withLog: true }, prestateTracer: { diffMode: true } },
  },
]

/** Also run if the result is at most this many bytes: that of one case has 900 MB. */
const WITH_MEMORY: Question = { tracer: 'opcodeTracer', tracerConfig: { enableMemory: true } }
const MEMORY_BYTES = 4_000_000

/** A bundle, and the SHA-256 of each tracer's result from lockstep/replay in Node. */
interface Traced {
  readonly name: string
  readonly bundle: string
  readonly questions: readonly Question[]
  readonly digests: readonly string[]
}

async function digestIn(recording: Recording, question: Question) {
  const hash = createHash('sha256')
  let bytes = 0
  await recording.writeTrace(question, (chunk) => {
    hash.update(chunk)
    bytes += chunk.length
  })
  return { question, digest: hash.digest('hex'), bytes }
}

/** The counterpart of `digestIn` that runs in the page. */
async function digestsInPage({
  bundle,
  questions,
}: {
  bundle: string
  questions: readonly Question[]
}): Promise<readonly string[]> {
  const { lockstep, sha256, hexDigits } = globalThis as unknown as LibraryProgram
  const opened = await lockstep.openBundle(bundle)
  const digests: string[] = []
  for (const question of questions) {
    const hash = sha256.create()
    await lockstep.writeReplay(opened, question, (chunk) => void hash.update(chunk))
    digests.push(hexDigits(hash.digest()))
  }
  opened.close()
  return digests
}

describe.skipIf(VECTORS === undefined)(
  VECTORS === undefined ? `tracers (${NO_VECTORS})` : 'tracers',
  () => {
    const cases: Traced[] = []
    let site: ProgramSite
    beforeAll(async () => {
      const engine = await engineInBlock()
      const hasher = new CommitHasher(new WebAssembly.Module(await readModule('commit')))
      const replayer = await openReplayer()
      const { engineHash } = replayer
      for (const { name, golden, test } of goldenFiles(VECTORS as string)) {
        const bundle = await goldenBundle({ engine, hasher, engineHash }, test)
        const recording = await replayer.read(JSON.parse(bundle))
        const own = { tracer: golden.tracer, tracerConfig: test.tracerConfig ?? {} }
        const result = await recording.trace(own)
        // The golden file proves that the result in Node is correct.
        const same = isDeepStrictEqual(golden.comparable(result), golden.comparable(test.result))
        expect(same, name).toBe(true)
        const asked = []
        for (const question of [own, ...EVERYWHERE, WITH_MEMORY]) {
          const one = await digestIn(recording, question)
          if (question !== WITH_MEMORY || one.bytes <= MEMORY_BYTES) asked.push(one)
        }
        const questions = asked.map(({ question }) => question)
        cases.push({ name, bundle, questions, digests: asked.map(({ digest }) => digest) })
      }
      site = await serveProgram(new URL('programs/library.ts', import.meta.url))
    })
    afterAll(() => site?.close())

    inBrowsers('every golden file', (browser) => {
      test('gives the same bytes in the browser as in Node, including those of script tracers', async () => {
        expect(cases.length).toBeGreaterThan(60)
        await withTab(browser(), { hosts: [site.host] }, async (tab) => {
          await tab.goto(site.url)
          for (const { name, bundle, questions, digests } of cases) {
            const there = await tab.evaluate(digestsInPage, { bundle, questions })
            expect(there, name).toEqual(digests)
          }
        })
      })
    })
  },
)
