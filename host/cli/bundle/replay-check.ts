import { LockstepError } from '../../base/error.ts'
import { describeDifference, type Recording } from '../../entry/replay.ts'
import { withProgress } from '../progress/progress.ts'
import { BundleReader } from './bundle-reader.ts'
import { count, differenceFacts } from './difference-facts.ts'

const RESUME = 'run it again: a replay changes nothing'

/** The result of replaying a bundle: `line` for display, `facts` as data. */
interface Report {
  readonly result: 'same' | 'differs' | 'invalid'
  readonly line: string
  readonly facts: Readonly<Record<string, unknown>>
}

async function compare(path: string, recording: Recording, signal: AbortSignal): Promise<Report> {
  const { digests, difference } = await recording.replay({ signal })
  if (difference !== undefined) {
    const line = `differs  ${path}: ${describeDifference(difference)}`
    return { result: 'differs', line, facts: { difference: differenceFacts(difference) } }
  }
  const transactions = digests.length
  const steps = digests.reduce((sum, { length }) => sum + length, 0)
  const compared = recording.hasSteps ? 'receipts and steps' : 'receipts'
  const what = `${count(transactions, 'transaction')}, ${count(steps, 'step')}`
  return {
    result: 'same',
    line: `same     ${path}: ${what}, ${compared} compared`,
    facts: { transactions, steps, compared: recording.hasSteps ? 'steps' : 'receipts' },
  }
}

/** A bundle that cannot be run is reported like one that differs, so that the others still run. */
async function check(path: string, reader: BundleReader, signal: AbortSignal): Promise<Report> {
  try {
    return await compare(path, await reader.read(path), signal)
  } catch (thrown) {
    signal.throwIfAborted()
    if (!(thrown instanceof LockstepError)) throw thrown
    const { message } = thrown
    const line = `invalid  ${message.startsWith(`${path}: `) ? '' : `${path}: `}${message}`
    return { result: 'invalid', line, facts: { error: message } }
  }
}

/**
 * Replays bundles and writes a line about each.
 * @throws BUNDLE_INVALID if one cannot be run, REPLAY_DIFFERS if one does not run as recorded.
 */
export async function checkBundles(paths: readonly string[], asJson: boolean): Promise<void> {
  const failed = { differs: 0, invalid: 0 }
  const options = { label: 'Replaying', unit: 'bundles', total: paths.length, resume: RESUME }
  await withProgress({ ...options, quiet: asJson }, async (progress) => {
    const reader = await BundleReader.open()
    for (const [done, path] of paths.entries()) {
      await progress.update(done)
      const { result, line, facts } = await check(path, reader, progress.signal)
      if (result !== 'same') failed[result]++
      progress.print(asJson ? JSON.stringify({ bundle: path, result, ...facts }) : line)
    }
    for (const note of reader.notes()) progress.note(note.trimEnd())
  })
  const { differs, invalid } = failed
  const of = `of ${count(paths.length, 'bundle')}`
  if (invalid > 0) {
    throw new LockstepError('BUNDLE_INVALID', `${invalid} ${of} cannot be run, ${differs} differ`)
  }
  if (differs > 0) {
    throw new LockstepError('REPLAY_DIFFERS', `${differs} ${of} differ from what was recorded`)
  }
}
