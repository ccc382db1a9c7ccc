import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { decodeTransaction } from '../../../host/evm/chain-types/transaction-codec.ts'
import { namedTests } from '../../conformance/case.ts'
import { parseBytes, readState, revisionOf } from '../../conformance/fixture.ts'
import { readEnv, type StateTest } from '../../conformance/state-test.ts'
import { type Recorder, vectorBundle } from '../../support/trace/vector-bundle.ts'
import type { DigestCase } from './digest-program.ts'

/** Every 20th file by name is used: some hundred cases of every fork and folder. */
const EACH = 20

/** Returns state tests with a valid transaction as bundles: the first test of each file, under each of its forks. */
export async function stateCases(
  recorder: Recorder,
  vectors: string,
): Promise<readonly DigestCase[]> {
  const cases: DigestCase[] = []
  const paths = globSync(join(vectors, 'state-tests-eest/state_tests/**/*.json')).sort()
  for (const path of paths.filter((_, index) => index % EACH === 0)) {
    const file = { path, content: JSON.parse(readFileSync(path, 'utf8')) }
    const [, content] = namedTests(file)[0] ?? []
    if (content === undefined) continue
    const test = content as unknown as StateTest
    for (const [fork, [post]] of Object.entries(test.post)) {
      const revision = revisionOf(fork)
      if (revision === undefined || post?.txbytes === undefined) continue
      if (post.expectException !== undefined) continue
      const transaction = decodeTransaction(parseBytes(post.txbytes), recorder.engine)
      const hash = (text: string) => recorder.hasher.keccak256(new TextEncoder().encode(text))
      const view = readState(test.pre, recorder.hasher, (number) => hash(String(number)))
      const bundle = await vectorBundle(recorder, readEnv(test, revision), view, transaction)
      cases.push({ name: `${basename(path)} ${fork}`, bundle, tracers: [] })
    }
  }
  return cases
}
