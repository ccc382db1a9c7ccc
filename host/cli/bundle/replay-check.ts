import { LockstepError } from '../../base/error.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Bundle } from '../../trace/bundle/bundle.ts'
import { replayBundle } from '../../trace/bundle/bundle-replay.ts'
import type { BundleBench } from './bundle-bench.ts'
import { count, describeDifference, differenceFacts } from './difference-text.ts'

/** What became of a bundle. `line` is for people, `facts` for programs. */
interface Report {
  readonly result: 'same' | 'differs' | 'invalid'
  readonly line: string
  readonly facts: Readonly<Record<string, unknown>>
}

async function compare(path: string, bundle: Bundle, engine: Engine): Promise<Report> {
  const { signal } = new AbortController()
  const { digests, difference } = await replayBundle(bundle, { engine, signal })
  if (difference !== undefined) {
    const line = `differs  ${path}: ${describeDifference(difference)}`
    return { result: 'differs', line, facts: { difference: differenceFacts(difference) } }
  }
  const transactions = digests.length
  const steps = digests.reduce((sum, { length }) => sum + length, 0)
  const isUnwatched = bundle.outcomes.some((outcome) => outcome.digests === undefined)
  const compared = isUnwatched ? 'receipts' : 'receipts and steps'
  const what = `${count(transactions, 'transaction')}, ${count(steps, 'step')}`
  return {
    result: 'same',
    line: `same     ${path}: ${what}, ${compared} compared`,
    facts: { transactions, steps, compared: isUnwatched ? 'receipts' : 'steps' },
  }
}

/** A bundle that cannot be run is reported like one that differs, so that the others still run. */
async function check(path: string, bench: BundleBench): Promise<Report> {
  try {
    return await bench.use((engine) => compare(path, bench.read(path, engine), engine))
  } catch (thrown) {
    if (!(thrown instanceof LockstepError)) throw thrown
    const { message } = thrown
    const line = `invalid  ${message.startsWith(`${path}: `) ? '' : `${path}: `}${message}`
    return { result: 'invalid', line, facts: { error: message } }
  }
}

/**
 * Runs bundles and writes a line about each.
 * @throws BUNDLE_INVALID where one cannot be run, REPLAY_DIFFERS where one does not run as it did.
 */
export async function checkBundles(
  paths: readonly string[],
  bench: BundleBench,
  asJson: boolean,
): Promise<void> {
  const failed = { differs: 0, invalid: 0 }
  for (const path of paths) {
    const { result, line, facts } = await check(path, bench)
    if (result !== 'same') failed[result]++
    const text = asJson ? JSON.stringify({ bundle: path, result, ...facts }) : line
    process.stdout.write(`${text}\n`)
  }
  for (const note of bench.notes()) process.stderr.write(note)
  const { differs, invalid } = failed
  const of = `of ${count(paths.length, 'bundle')}`
  if (invalid > 0) {
    throw new LockstepError('BUNDLE_INVALID', `${invalid} ${of} cannot be run, ${differs} differ`)
  }
  if (differs > 0) {
    throw new LockstepError('REPLAY_DIFFERS', `${differs} ${of} differ from what was recorded`)
  }
}
