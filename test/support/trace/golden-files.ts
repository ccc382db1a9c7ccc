import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Golden, readGolden, type TracerTest } from '../../conformance/tracer-golden.ts'

export interface GoldenFile {
  /** Its folder and name. */
  readonly name: string
  readonly golden: Golden
  readonly test: TracerTest
}

const PLACE = 'tracers/geth/eth/tracers/internal/tracetest/testdata/*/*.json'

/** Returns geth's own tracer cases from the published vectors. */
export function goldenFiles(vectors: string): readonly GoldenFile[] {
  return globSync(join(vectors, PLACE))
    .sort()
    .flatMap((path) => {
      const found = readGolden({ path, content: JSON.parse(readFileSync(path, 'utf8')) })
      return found === undefined ? [] : [{ name: path.split('/').slice(-2).join('/'), ...found }]
    })
}
