import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { readSeconds } from '../../../tools/ci/verified.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Of a file that no complete run has timed yet. */
const UNKNOWN_SECONDS = 5

/**
 * Starts the files first that took longest in the last complete run: a long one that starts last runs alone at the end.
 * vitest orders by its own cache, which a new clone does not have.
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
