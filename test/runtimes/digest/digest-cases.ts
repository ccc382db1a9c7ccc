import { BENCH_CASES } from '../../support/engine/bench-cases.ts'
import { goldenFiles } from '../../support/trace/golden-files.ts'
import { benchBundle, goldenBundle, type Recorder } from '../../support/trace/vector-bundle.ts'
import type { DigestCase } from './digest-program.ts'
import { stateCases } from './state-cases.ts'

const STRUCT = { tracer: 'opcodeTracer', config: { enableReturnData: true, limit: 300_000 } }

/**
 * Returns all cases with a digest: the public benchmarks, state tests of each fork, and geth's cases with their
 * tracers.
 */
export async function digestCases(
  recorder: Recorder,
  vectors: string,
): Promise<readonly DigestCase[]> {
  const cases: DigestCase[] = []
  for (const row of BENCH_CASES) {
    cases.push({ name: row.name, bundle: await benchBundle(recorder, row), tracers: [] })
  }
  cases.push(...(await stateCases(recorder, vectors)))
  for (const { name, golden, test } of goldenFiles(vectors)) {
    cases.push({
      name,
      bundle: await goldenBundle(recorder, test),
      tracers: [{ tracer: golden.tracer, config: test.tracerConfig ?? {} }, STRUCT],
    })
  }
  return cases
}
