import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { readSeconds } from '../../../tools/ci/verified.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Assumed duration of a file that no complete run has timed yet. */
const UNKNOWN_SECONDS = 5

/**
 * Starts the longest files of the last complete run first, so that no long one runs alone at the end. vitest's own
 * order needs its cache, which a new clone does not have.
 */
export class LongestFirst extends BaseSequencer {
  readonly #seconds = readSeconds(ROOT)

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ project, moduleId }: TestSpecification) =>
      this.#seconds[project.name === 'slow' ? 'slow' : 'fast'][relative(ROOT, moduleId)] ??
      UNKNOWN_SECONDS
    const sorted = await super.sort(files)
    return sorted.sort((a, b) => secondsOf(b) - secondsOf(a))
  }
}
